import Core
import HTTP
import Platform
import Registry
import Templates
import TestSupport
import Testing

@testable import Accounts
@testable import Console
@testable import SignIn

/// An object with two settings and a flag, of which nothing but its declaration is written.
private struct Bell: DeclaredObject {
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
    static func rows<Object: DeclaredObject>(_: Object.Type, _ texts: Translations) -> String {
        let standard = Object.Settings().typed
        return Object.Settings.all.map { setting in
            let takes =
                switch setting.kind {
                case .line(_, let isOptional): isOptional ? "a text, or `\"\"` for none" : "a text"
                case .lines(let limit), .rows(let limit): "a list of at most \(limit)"
                case .choice(let values): choice(values, standard[setting.name]?.string)
                case .combination(let all): lists(all.map(\.elements), standard[setting.name]?.strings ?? [])
                case .number(let range):
                    "a whole number from \(range.lowerBound) to \(range.upperBound), \(standard[setting.name]?.integer ?? 0) by default"
                case .flag: choice(["false", "true"], "\(standard[setting.name]?.boolean == true)")
                }
            return "| `\(setting.name)` | \(texts.text(Object.words.label(setting.name))): \(takes) |\n"
        }.joined()
    }

    private static func choice(_ values: [String], _ standard: String?) -> String {
        values.map { $0 == standard ? "`\($0)` (the default)" : "`\($0)`" }.joined(separator: " or ")
    }

    private static func lists(_ lists: [[String]], _ standard: [String]) -> String {
        choice(lists.map { "\($0)" }, "\(standard)")
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
        let inputs = form.inputs(shown, site, of: ["loud", "name", "tone"])
        #expect(inputs.map(\.name) == ["name", "tone", "loud"])
        #expect(inputs.map(\.errors.count) == [1, 1, 0] && inputs.allSatisfy { $0.hint == nil })
        guard case .box(isChecked: true) = inputs[2].kind else { return #expect(Bool(false)) }
    }

    @Test func `has a row or no link at all for an error that names none`() throws {
        let urls = (0..<12).map { $0 == 1 ? "" : "https://acme.example/\($0)" }
        func first(_ urls: [String]) throws -> ErrorLink {
            let name: FieldName = "returnURLs"
            let form = SettingsForm<ServiceID>(Form(urls.map { FormCoding.Field(name, $0) }))
            return try #require(form.links(form.typed(FieldErrors("returnURLs", "Full"))).first)
        }

        #expect(try first(Array(urls.prefix(3))).element == "field-returnURLs-1")
        #expect(try first(urls).element == "field-returnURLs-12")
        #expect(FieldErrors(.whole, "Full").links.map(\.element) == [nil])
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
        #expect(told.contains("allowed: identifier, name, tone, loud"))
        #expect(reader.finished().all.map(\.path) == ["loud", "pitch"])
    }

    @Test func `reaches the docs`() throws {
        let texts = try Translations(folder: repository + "/Texts")

        let rows = SettingsTable.rows(Bell.self, texts)
        #expect(
            rows.contains(": `high` (the default) or `low` |") && rows.contains(": `false` (the default) or `true` |"))
        let docs = try #require(SwiftSources.text(of: repository + "/docs/registry.md"))
        for declaration in Declaration.all where declaration.isInFile {
            func rows(_ type: (some DeclaredObject).Type) -> String { SettingsTable.rows(type, texts) }
            #expect(docs.contains(rows(declaration.type)), "\(declaration.type)")
        }
    }
}

@Suite struct `The settings of every object` {
    @Test(arguments: Declaration.all) func `are the same through form, file and form`(_ declaration: Declaration) throws
    {
        var garbage = Garbage(seed: 38)
        func check<Object: DeclaredObject>(_: Object.Type, _ typed: Typed) throws {
            let settings = try Object.Settings(typed, policy: .hostNames)
            let form = SettingsForm<Object>([:], settings)
            #expect(try Object.Settings(form.typed, policy: .hostNames) == settings)
            #expect(SettingsForm<Object>(Form(form.fields)).typed == form.typed && settings.typed == form.typed)

            let text = JSON.encode(RegistryEntry("com.acme.it", settings.typed), pretty: true)
            var reader = MemberReader(try JSON.decode(JSONValue.self, from: text), at: .whole)
            let read = try Object.Settings(reader.entry(Object.Settings.self).settings, policy: .hostNames)
            #expect(reader.finished().isEmpty)
            #expect(read == settings && SettingsForm<Object>([:], read).fields == form.fields)
        }
        for _ in 0..<200 { try check(declaration.type, declaration.random(&garbage)) }
    }

    @Test(arguments: Declaration.all) func `stay as they are where a form does not send them`(
        _ declaration: Declaration
    ) throws {
        var garbage = Garbage(seed: 39)
        func check<Object: DeclaredObject>(_: Object.Type, _ stored: Typed, _ typed: Typed) throws {
            let sent = try Object.Settings(typed, policy: .hostNames).typed
            let fields = SettingsForm<Object>([:], try Object.Settings(typed, policy: .hostNames)).fields
            let stored = try Object.Settings(stored, policy: .hostNames)
            for setting in Object.Settings.all {
                let form = SettingsForm<Object>(Form(fields.filter { $0.name.text != setting.name }))
                let merged = form.typed(over: stored)
                let isFlag = if case .flag = setting.kind { true } else { false }
                #expect(merged[setting.name] == (isFlag ? false : stored.typed[setting.name]))
                for other in Object.Settings.all where other.name != setting.name {
                    #expect(merged[other.name] == sent[other.name])
                }
            }
        }
        for _ in 0..<20 { try check(declaration.type, declaration.random(&garbage), declaration.random(&garbage)) }
    }

    @Test(arguments: Declaration.all) func `are read alike with marks that nobody sees`(_ declaration: Declaration)
        throws
    {
        var garbage = Garbage(seed: 41)
        func check<Object: DeclaredObject>(_: Object.Type, _ typed: Typed) throws {
            for mark in ["\u{200B}", "\u{A0}", "\u{FEFF}", "\u{202E}", "\n"] {
                var dirty = typed
                for setting in Object.Settings.all {
                    switch setting.kind {
                    case .line:
                        dirty[setting.name] = typed[setting.name]?.string.map {
                            $0.isEmpty ? "" : .string(mark + $0 + mark)
                        }
                    case .lines, .rows:
                        dirty[setting.name] = typed[setting.name].map { .strings($0.strings.map { mark + $0 + mark }) }
                    default: continue
                    }
                }
                let read = try Object.Settings(dirty, policy: .hostNames)
                #expect(try read == Object.Settings(typed, policy: .hostNames), "\(mark.debugDescription)")
                #expect(
                    try Object.Settings(
                        SettingsForm<Object>(Form(SettingsForm<Object>([:], read).fields)).typed, policy: .hostNames)
                        == read)
            }
        }
        for _ in 0..<20 { try check(declaration.type, declaration.random(&garbage)) }
    }

    @Test(arguments: Declaration.all) func `tell each fault once, at its field`(_ declaration: Declaration) throws {
        func errors<Object: DeclaredObject>(_: Object.Type, _ typed: Typed) -> [String] {
            let errors = #expect(throws: FieldErrors.self) { try Object.Settings(typed, policy: .hostNames) }
            return errors?.all.map(\.path.description) ?? []
        }
        var garbage = Garbage(seed: 40)
        for fault in declaration.faults {
            var typed = declaration.random(&garbage)
            if fault.name == "returnURLs" { typed["domains"] = ["acme.example"] }
            if fault.name == "domains" { typed["returnURLs"] = [] }
            typed[fault.name] = fault.value
            #expect(errors(declaration.type, typed) == [fault.path])
        }
    }

    @Test func `come from an offer as it was made, also under a former name`() throws {
        for name in ["requirePKCE", "requiresPKCE"] {
            let text = Array(#"{"identifier": "com.acme.web", "description": "Acme", "\#(name)": true}"#.utf8)
            let entry = try JSON.decode(RegistryEntry.self, from: text)
            #expect(try ServiceID.Settings(entry.settings, policy: .hostNames).requiresPKCE)
        }
        let former = """
            {"description": "Acme", "isEnabled": false, "notificationURL": "", "issuer": "apple", "services": [], "people": 3}
            """
        let offer = try JSON.decode(TransferredRegistration.self, from: Array(former.utf8))
        let again = try JSON.decode(TransferredRegistration.self, from: JSON.encode(offer))
        for app in [offer.app, again.app] {
            let settings = try AppID.Settings(app.settings, policy: .hostNames)
            #expect((settings.description, settings.isEnabled, settings.issuer) == ("Acme", false, .apple))
        }
    }

    @Test(.environment, arguments: Declaration.all) func `are the columns of their tables`(_ declaration: Declaration)
        throws
    {
        let table = declaration.table + "."
        let columns = declaration.columns.mapValues { $0.contains(".") ? $0 : table + $0 }
        func names<Object: DeclaredObject>(_: Object.Type) -> [String] { Object.Settings.all.map(\.name) }

        let known = try environment.admin(
            """
            SELECT attrelid::regclass || '.' || attname FROM pg_attribute
            WHERE attnum > 0 AND NOT attisdropped AND attrelid IN (SELECT oid FROM pg_class WHERE relkind = 'r')
            """
        ).compactMap { $0[0] }

        #expect(names(declaration.type).sorted() == columns.keys.sorted())
        #expect(Set(columns.values).subtracting(known).isEmpty)
        let own = Set(columns.values.filter { $0.hasPrefix(table) }).union(declaration.others.map { table + $0 })
        #expect(Set(known.filter { $0.hasPrefix(table) }) == own)
    }
}
