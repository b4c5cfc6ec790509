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

/// A declared object of the registry, for tests that walk all of them.
struct Declaration: Sendable, CustomTestStringConvertible {
    let type: any DeclaredObject.Type
    /// Settings that are right, typed by somebody at random.
    let random: @Sendable (inout Garbage) -> Typed
    /// Values that are refused, and where.
    let faults: [(name: String, value: JSONValue, path: String)]
    let table: String
    /// The columns of the settings, with their table if it is another.
    let columns: [String: String]
    /// The other columns of the table.
    let others: [String]
    /// Whether a registry file has all of its settings.
    var isInFile = true

    var testDescription: String { "\(type)" }

    static let all = [
        Declaration(
            type: ServiceID.self,
            random: { garbage in
                let domains = some(["acme.example", "shop.example", "acme.test", "a.acme.example"], &garbage)
                var urls: [String] = []
                for domain in domains {
                    urls += some(["", "a", "b?c=d", "%C3%BC%20"].map { "https://\(domain)/\($0)" }, &garbage)
                }
                return [
                    "description": description(&garbage), "domains": .strings(domains),
                    "returnURLs": .strings(Array(urls.prefix(10))), "issuer": one(["own", "apple"], &garbage),
                    "booleans": one(["json", "string"], &garbage), "requirePKCE": one([true, false], &garbage),
                ]
            },
            faults: [
                ("description", "", "description"), ("domains", ["x/y"], "domains[0]"),
                ("returnURLs", ["https://acme.example/", "http://acme.example/"], "returnURLs[1]"),
                ("issuer", "other", "issuer"), ("booleans", "maybe", "booleans"),
            ], table: "service_ids",
            columns: [
                "description": "description", "domains": "service_domains.domain", "returnURLs": "return_urls.url",
                "issuer": "issuer", "booleans": "booleans", "requirePKCE": "requires_pkce",
            ], others: ["team_id", "identifier", "kind", "app_id", "rank", "version", "created_at"]),
        Declaration(
            type: AppID.self,
            random: { garbage in
                [
                    "description": description(&garbage), "primary": one(["", "com.acme.main"], &garbage),
                    "notificationURL": one(["", "https://acme.example/a?b=c"], &garbage),
                    "issuer": one(["own", "apple"], &garbage), "signIn": one([true, false], &garbage),
                ]
            },
            faults: [
                ("description", " ", "description"), ("primary", "acme", "primary"),
                ("notificationURL", "http://acme.example/", "notificationURL"), ("issuer", "", "issuer"),
            ], table: "app_ids",
            columns: [
                "description": "description", "primary": "primary_identifier", "notificationURL": "notification_url",
                "issuer": "issuer", "signIn": "is_enabled",
            ], others: ["team_id", "identifier", "kind", "version", "created_at"]),
        Declaration(
            type: RegisteredEmailSource.self,
            random: { garbage in ["selectors": .strings(some(["s1", "s2026", "mail.a", "x_1"], &garbage))] },
            faults: [("selectors", ["s1", "s 2"], "selectors[1]")], table: "email_sources",
            columns: ["selectors": "dkim_selectors"],
            others: [
                "team_id", "source", "kind", "rank", "records", "checked_at", "check_due_at", "version", "created_at",
            ]),
        Declaration(
            type: AppleKey.self,
            random: { garbage in
                ["name": description(&garbage), "teamID": one(["ABCDE12345", "FGHIJ67890"], &garbage)]
            }, faults: [("name", "", "name"), ("teamID", "", "teamID"), ("teamID", "short", "teamID")],
            table: "apple_keys", columns: ["name": "name", "teamID": "apple_team_id"],
            others: [
                "team_id", "key_id", "app_id", "rank", "fingerprint", "private_key_sealed", "version", "created_at",
            ], isInFile: false),
        Declaration(
            type: AppleConnection.self,
            random: { garbage in
                [
                    "servicesID": one(["com.acme.siwa", "com.acme.other"], &garbage),
                    "keyID": one(["KEY1234567", "KEY7654321"], &garbage),
                    "transferredOn": one(["", "2026-11-29"], &garbage),
                ]
            },
            faults: [
                ("servicesID", "", "servicesID"), ("servicesID", "a b", "servicesID"), ("keyID", "short", "keyID"),
                ("transferredOn", "29.11.2026", "transferredOn"),
            ], table: "apple_connections",
            columns: ["servicesID": "services_id", "keyID": "key_id", "transferredOn": "transferred_on"],
            others: ["team_id", "app_id", "version", "created_at"]), team,
    ]

    private static let team = Declaration(
        type: Team.self,
        random: { garbage in
            [
                "name": description(&garbage), "mode": one(["production", "sandbox"], &garbage),
                "identitySources": one(
                    [["directory"], ["apple"], ["directory", "apple"], ["apple", "directory"]], &garbage),
                "secondFactor": one(["off", "optional", "required"], &garbage),
                "registration": one(["open", "invitation", "off"], &garbage),
                "idTokenSeconds": one([60, 600, 86_400], &garbage),
                "requireVerifiedDomains": one([true, false], &garbage),
                "accountDeleteEvent": one(["account-delete", "account-deleted"], &garbage),
                "appleKeys": one(["automatic", "always", "off"], &garbage),
                "auditRetentionDays": one([30, 400, 3650], &garbage),
                "accentColour": one(["", "#0b57d0", "#FFE14D"], &garbage),
                "privacyURL": one(["", "https://acme.example/privacy"], &garbage),
                "termsURL": one(["", "https://acme.example/a?b=c#d"], &garbage),
            ]
        },
        faults: [
            ("name", "", "name"), ("name", "\n", "name"), ("mode", "test", "mode"),
            ("identitySources", [], "identitySources"), ("identitySources", ["apple", "google"], "identitySources[1]"),
            ("identitySources", ["apple", "apple"], "identitySources[1]"), ("secondFactor", "no", "secondFactor"),
            ("registration", "", "registration"), ("idTokenSeconds", 59, "idTokenSeconds"),
            ("idTokenSeconds", .integer(.max), "idTokenSeconds"), ("idTokenSeconds", "600", "idTokenSeconds"),
            ("accountDeleteEvent", "deleted", "accountDeleteEvent"), ("appleKeys", "", "appleKeys"),
            ("auditRetentionDays", 29, "auditRetentionDays"), ("auditRetentionDays", 3651, "auditRetentionDays"),
            ("accentColour", "blue", "accentColour"), ("privacyURL", "http://acme.example", "privacyURL"),
            ("termsURL", "javascript:alert(1)", "termsURL"),
        ], table: "teams",
        columns: [
            "name": "name", "mode": "mode", "identitySources": "identity_sources", "secondFactor": "second_factor",
            "registration": "registration", "idTokenSeconds": "id_token_seconds",
            "requireVerifiedDomains": "requires_verified_domains", "accountDeleteEvent": "account_delete_event",
            "appleKeys": "apple_keys", "auditRetentionDays": "audit_retention_days", "accentColour": "accent_colour",
            "privacyURL": "privacy_url", "termsURL": "terms_url",
        ],
        others: [
            "team_id", "is_system", "version", "created_at", "deletion_due_at", "closed_at", "emptied_at", "deleted_at",
        ])

    private static func some<Element>(_ elements: [Element], _ garbage: inout Garbage) -> [Element] {
        elements.shuffled(using: &garbage).filter { _ in Bool.random(using: &garbage) }
    }

    private static func one(_ values: [JSONValue], _ garbage: inout Garbage) -> JSONValue {
        values[Int.random(in: values.indices, using: &garbage)]
    }

    private static func description(_ garbage: inout Garbage) -> JSONValue {
        .string(some(["Acme", "Ein Tür", "“x”", "a, b"], &garbage).joined(separator: " ") + "!")
    }
}
