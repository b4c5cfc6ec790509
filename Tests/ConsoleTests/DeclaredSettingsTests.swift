import Core
import HTTP
import Platform
import Registry
import SignIn
import Templates
import TestSupport
import Testing

@testable import Accounts
@testable import Console

/// An object with two settings and a flag, of which nothing but its declaration is written.
private struct Bell: ConfiguredThing {
    enum Tone: String, CaseIterable, Sendable { case high, low }

    struct Settings: DeclaredSettings {
        var name = ""
        var tone = Tone.high
        var isLoud = false

        static let all: [Setting<Self>] = [
            .line("name", \.name) { text, _ throws(ValidationError) in
                if text.isEmpty { throw .missing }
                return text
            }, .choice("tone", \.tone), .flag("loud", \.isLoud),
        ]
    }

    static let identity = ["key"]
    static let words = SettingWords("console.bells")

    let key: String
    let settings: Settings
    let version: Int
    var identity: String { key }
}

/// The rows of the table in which `docs/registry.md` tells the members of an object in a registry file.
private enum SettingsTable {
    static func rows<Object: ConfiguredThing>(_: Object.Type, _ texts: Translations) -> String {
        let standard = Object.Settings().typed
        return Object.Settings.all.map { setting in
            let takes =
                switch setting.kind {
                case .line: "a text"
                case .lines(let limit), .rows(let limit): "a list of at most \(limit.count)"
                case .choice(let values): choice(values, standard[setting.name]?.string)
                case .flag: choice(["false", "true"], "\(standard[setting.name]?.boolean == true)")
                }
            return "| `\(setting.name)` | \(texts.text(Object.words.label(setting.name))): \(takes) |\n"
        }.joined()
    }

    private static func choice(_ values: [String], _ standard: String?) -> String {
        values.map { $0 == standard ? "`\($0)` (the default)" : "`\($0)`" }.joined(separator: " or ")
    }
}

@Suite struct `A declared object` {
    private static let old = Bell(key: "front", settings: Bell.Settings(), version: 3)

    private static func form(_ fields: [(String, String)]) throws -> SettingsForm<Bell> {
        SettingsForm(Form(try fields.map { FormCoding.Field(try #require(FieldName($0)), $1) }))
    }

    @Test(.environment) func `reaches its form with labels, errors and what was typed`() throws {
        let site = environment.parts.site
        let form = try Self.form([("name", ""), ("tone", "deep"), ("loud", "yes")])

        let errors = #expect(throws: FieldErrors.self) { try Bell.Settings(form.typed, policy: .hostNames) }

        let shown = form.typed(errors ?? FieldErrors())
        #expect(shown.all.map(\.path) == ["name", "tone"])
        #expect(form.label(of: "tone")?.key == "console.bells.tone.label" && form.label(of: "other") == nil)
        let inputs = form.inputs(["loud", "name", "tone"], shown, site)
        #expect(inputs.map(\.name) == ["name", "tone", "loud"])
        #expect(inputs.map(\.errors.count) == [1, 1, 0] && inputs.allSatisfy { $0.hint == nil })
        guard case .box(isChecked: true) = inputs[2].kind else { return #expect(Bool(false)) }
    }

    @Test func `reaches the conflict page with both sides, and what was typed`() throws {
        let form = try Self.form([("name", "Door"), ("tone", "high"), ("loud", "yes")])

        let rows = form.compared(with: Self.old)

        #expect(rows.map { $0.theirs != $0.yours } == [true, false, true])
        #expect(form.fields.map { "\($0.name.text)=\($0.value)" } == ["name=Door", "tone=high", "loud=yes"])
    }

    @Test(.environment) func `reaches the audit log with the members that differ`() async throws {
        var new = Bell.Settings()
        (new.name, new.isLoud) = ("Door", true)
        let (old, changed) = (Self.old.settings.typed, new.typed)

        try await environment.parts.database.change(in: .acme) { change in
            try await change.record("bell.updated", AuditEvent.Target("bell", "front"), from: old, to: changed)
        }

        let event = try await AuditStore(environment.parts.database).list(in: .acme, limit: 1).first
        #expect(event?.before == #"{"loud": false, "name": ""}"#)
        #expect(event?.after == #"{"loud": true, "name": "Door"}"#)
    }

    @Test func `reaches the registry file, in and out`() throws {
        var settings = Bell.Settings()
        (settings.name, settings.tone) = ("Door", .low)
        let text = JSON.encode(RegistryEntry("front", settings.typed), pretty: true)
        var reader = MemberReader(try JSON.decode(JSONValue.self, from: text), at: .whole)

        let entry = reader.entry(Bell.Settings.self)

        #expect(reader.finished().isEmpty && entry.identifier == "front")
        #expect(try Bell.Settings(entry.settings, policy: .hostNames) == settings)
        reader = MemberReader(["identifier": "front", "pitch": 1, "loud": "yes"], at: .whole)
        #expect(reader.entry(Bell.Settings.self).settings.isEmpty)
        let told = Translations().text(reader.finished()["pitch"] ?? "".localizedText)
        #expect(told.contains("here may stand identifier, name, tone, loud"))
        #expect(reader.finished().all.map(\.path) == ["loud", "pitch"])
    }

    @Test func `reaches the docs`() throws {
        let texts = try Translations(folder: repository + "/Texts")

        let rows = SettingsTable.rows(Bell.self, texts)
        #expect(
            rows.contains(": `high` (the default) or `low` |") && rows.contains(": `false` (the default) or `true` |"))
        let docs = try #require(SwiftSources.text(of: repository + "/docs/registry.md"))
        #expect(docs.contains(SettingsTable.rows(ServiceID.self, texts)))
    }
}

@Suite struct `The settings of a Service ID` {
    /// Settings that are right, typed by somebody at random.
    private static func typed(_ garbage: inout Garbage) -> Typed {
        func some<Element>(_ elements: [Element]) -> [Element] {
            elements.shuffled(using: &garbage).filter { _ in Bool.random(using: &garbage) }
        }
        let domains = some(["acme.example", "shop.example", "acme.test", "a.acme.example"])
        let urls = domains.flatMap { domain in some(["", "a", "b?c=d", "ü%20"].map { "https://\(domain)/\($0)" }) }
        return [
            "description": .string(some(["Acme", "Ein Tür", "“x”", "a, b"]).joined(separator: " ") + "!"),
            "domains": .strings(domains),
            "returnURLs": .strings(Array(urls.filter { $0.utf8.allSatisfy { $0 < 0x80 } }.prefix(10))),
            "issuer": Bool.random(using: &garbage) ? "own" : "apple",
            "booleans": Bool.random(using: &garbage) ? "json" : "string",
            "requirePKCE": .boolean(Bool.random(using: &garbage)),
        ]
    }

    @Test func `are the same through form, file and form`() throws {
        var garbage = Garbage(seed: 38)
        for _ in 0..<200 {
            let typed = Self.typed(&garbage)
            let settings = try ServiceID.Settings(typed, policy: .hostNames)
            let form = SettingsForm<ServiceID>([:], settings)
            #expect(try ServiceID.Settings(form.typed, policy: .hostNames) == settings)
            let sent = SettingsForm<ServiceID>(Form(form.fields))
            #expect(sent.typed == form.typed && settings.typed == form.typed)

            let app: JSONValue = [
                "identifier": "com.acme.app",
                "serviceIDs": [.object(settings.typed.merging(["identifier": "com.acme.web"]) { $1 })],
            ]
            let text = JSON.encode(["teams": [["id": "ACMETEAM01", "appIDs": [app]]]] as JSONValue)
            let file = try RegistryFile(parsing: text) { _ in [] }
            let entry = try #require(file.teams[0].appIDs?[0].serviceIDs?[0])
            let read = try ServiceID.Settings(entry.settings, policy: .hostNames)
            #expect(read == settings && SettingsForm<ServiceID>([:], read).fields == form.fields)
        }
    }

    @Test(
        arguments: [
            ("description", "", "description"), ("domains", ["x/y"], "domains[0]"),
            ("returnURLs", ["https://acme.example/", "http://acme.example/"], "returnURLs[1]"),
            ("issuer", "other", "issuer"), ("booleans", "maybe", "booleans"),
        ] as [(String, JSONValue, String)]) func `tell each fault once, at its field`(
            name: String, value: JSONValue, path: String
        ) throws
    {
        var typed: Typed = ["description": "Acme", "domains": ["acme.example"]]
        typed["returnURLs"] = ["https://acme.example/"]
        typed[name] = value

        let errors = #expect(throws: FieldErrors.self) { try ServiceID.Settings(typed, policy: .hostNames) }

        #expect(errors?.all.map(\.path.description) == [path])
    }

    @Test func `come from an offer as it was made, also under a former name`() throws {
        for name in ["requirePKCE", "requiresPKCE"] {
            let text = Array(#"{"identifier": "com.acme.web", "description": "Acme", "\#(name)": true}"#.utf8)
            let entry = try JSON.decode(RegistryEntry.self, from: text)
            #expect(try ServiceID.Settings(entry.settings, policy: .hostNames).requiresPKCE)
        }
    }

    @Test(.environment) func `are the columns of its tables`() throws {
        let places = [
            "description": "service_ids.description", "domains": "service_domains.domain",
            "returnURLs": "return_urls.url", "issuer": "service_ids.issuer", "booleans": "service_ids.booleans",
            "requirePKCE": "service_ids.requires_pkce",
        ]
        let others = ["team_id", "identifier", "kind", "app_id", "rank", "version", "created_at"].map { name in
            "service_ids.\(name)"
        }

        let columns = try environment.admin(
            """
            SELECT attrelid::regclass || '.' || attname FROM pg_attribute
            WHERE attnum > 0 AND NOT attisdropped
                AND attrelid IN ('service_ids'::regclass, 'service_domains'::regclass, 'return_urls'::regclass)
            """
        ).compactMap { $0[0] }

        #expect(ServiceID.Settings.all.map(\.name).sorted() == places.keys.sorted())
        #expect(Set(places.values).subtracting(columns).isEmpty)
        let own = columns.filter { $0.hasPrefix("service_ids.") }
        #expect(Set(own) == Set(others).union(places.values.filter { $0.hasPrefix("service_ids.") }))
    }
}
