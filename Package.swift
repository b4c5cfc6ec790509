// swift-tools-version: 6.2
import PackageDescription

// The list of what each module may use is the architecture; `make build` refuses an import that is not
// declared here (--explicit-target-dependency-import-check error). Arrows point down only.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"), .enableUpcomingFeature("InferIsolatedConformances"),
    .strictMemorySafety(), .treatAllWarnings(as: .error),
]

/// - Parameter names: modules, separated by blanks.
func module(_ name: String, uses names: String = "") -> Target {
    .target(name: name, dependencies: dependencies(names), swiftSettings: settings)
}

/// The tests of the module of that name, in `Tests/…Tests`.
func tests(of name: String, uses names: String = "") -> Target {
    .testTarget(
        name: name + "Tests", dependencies: dependencies(name + " TestSupport " + names), swiftSettings: settings)
}

/// What tests share.
func testSupport(_ name: String, uses names: String = "") -> Target {
    .target(name: name, dependencies: dependencies(names), path: "Tests/" + name, swiftSettings: settings)
}

func dependencies(_ names: String) -> [Target.Dependency] {
    names.split { $0 == " " || $0 == "\n" }.map { .byName(name: String($0)) }
}

// One module a line.
// swift-format-ignore
let package = Package(
    name: "Pippin", products: [.executable(name: "pippin", targets: ["pippin"])],
    targets: [
        // Level 0: C libraries of the system, each with one shim header.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CCares", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),
        .systemLibrary(name: "CFido2", pkgConfig: "libfido2", providers: [.apt(["libfido2-dev"])]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(name: "CZxcvbn", providers: [.apt(["libzxcvbn-dev"])]),

        // Level 1: mechanism. Knows nothing of Pippin.
        module("Bytes"),
        module("Localization", uses: "Bytes"),
        module("EventLoop", uses: "CLinux"),
        module("Log", uses: "Bytes EventLoop"),
        module("Crypto", uses: "Bytes COpenSSL CSodium CZxcvbn"),
        module("Postgres", uses: "Bytes EventLoop CPostgreSQL"),
        module("HTTP", uses: "Bytes EventLoop CMicroHTTPD CZlib"),
        module("HTTPClient", uses: "Bytes EventLoop CCurl"),
        module("DNS", uses: "EventLoop CCares"),
        module("Templates", uses: "Bytes Localization"),
        module("QRCode", uses: "CQREncode"),
        module("WebAuthn", uses: "Bytes Crypto CFido2"),

        // Level 2: capability. Knows neither incoming HTTP nor HTML nor cookies.
        module("Domain", uses: "Bytes Localization Log Crypto Postgres"),
        module("Audit", uses: "Bytes Localization Domain Postgres Crypto"),
        module("Jobs", uses: "Bytes Localization Domain EventLoop Log Audit Crypto Postgres"),
        module("Operations", uses: "Bytes Domain EventLoop Postgres HTTPClient"),
        module("Mail", uses: "Bytes Localization Domain Jobs Crypto Postgres HTTPClient Templates"),
        module("Registry", uses: "Bytes Localization Domain Audit Crypto Postgres HTTPClient DNS"),
        module("Directory", uses: "Bytes Localization Domain EventLoop Audit Crypto Postgres WebAuthn"),
        module("Tenancy", uses: "Bytes Localization Domain Log Registry Directory Audit Crypto Postgres"),
        module("Notifications", uses: """
            Bytes Localization Domain Registry Directory Jobs Crypto Postgres HTTPClient Tenancy
            """),
        module("OAuth", uses: """
            Bytes Localization Domain EventLoop Log Tenancy Registry Directory Notifications Audit Crypto Postgres
            """),
        module("SignInTrace", uses: "Bytes Domain EventLoop Log OAuth Jobs Crypto Postgres"),
        module("Federation", uses: """
            Bytes Localization Domain EventLoop Log Tenancy Registry Directory Notifications OAuth Audit Jobs Crypto
            Postgres HTTPClient
            """),
        module("Accounts", uses: """
            Bytes Localization Domain Log Tenancy Registry Directory Notifications OAuth SignInTrace Federation Audit
            Jobs Crypto Postgres
            """),
        module("Provisioning", uses: """
            Bytes Localization Domain EventLoop Tenancy Registry Directory OAuth Federation Accounts Audit Crypto
            Postgres
            """),
        module("Doctor", uses: """
            Bytes Localization Domain Tenancy Registry Directory OAuth Federation Audit Crypto HTTPClient Postgres
            """),

        // Level 3: pages and endpoints.
        module("Web", uses: "Bytes Localization Domain Log Directory Notifications OAuth SignInTrace Federation Accounts Crypto Postgres HTTP Templates"),
        module("Hosted", uses: """
            Bytes Localization Domain EventLoop Log Jobs Mail Web Tenancy Registry Directory Notifications OAuth
            Federation Accounts Crypto Postgres HTTP Templates QRCode WebAuthn
            """),
        module("Console", uses: """
            Bytes Localization Domain EventLoop Log Web Tenancy Registry Directory Notifications OAuth
            SignInTrace Federation Accounts Doctor HTTPClient Hosted Jobs Mail Operations Audit Crypto Postgres HTTP Templates
            """),
        module("Simulator", uses: """
            Bytes Localization Domain EventLoop Web Tenancy Directory Notifications OAuth Federation Hosted
            Crypto HTTP Templates
            """),
        module("SampleApp", uses: "Bytes Localization Domain Web Crypto HTTP HTTPClient Templates"),

        // Level 4: configuration, wiring, commands.
        .executableTarget(
            name: "pippin",
            dependencies: dependencies("""
                CLinux Bytes Localization DNS Domain EventLoop Log Crypto Postgres HTTP HTTPClient Templates Audit Jobs
                Mail Operations Tenancy Registry Directory Notifications OAuth SignInTrace Federation Accounts
                Provisioning Doctor Hosted Simulator Console SampleApp
                """),
            swiftSettings: settings),

        // What tests share: how long they wait.
        testSupport("TestSupport"),

        // A real PostgreSQL.
        testSupport("TestDatabase", uses: "Domain EventLoop Postgres TestSupport"),

        // A name server that does what a test asks of it.
        testSupport("TestNames", uses: "EventLoop"),

        // A passkey in software, with real keys.
        testSupport("TestAuthenticator", uses: "Bytes Crypto"),

        // Two registered teams and their people.
        testSupport("TestTeams", uses: """
            Bytes Domain EventLoop Crypto Postgres Registry Directory Notifications OAuth SignInTrace Federation Accounts TestDatabase TestSupport
            """),

        // Numbers at the ends of what a number can be.
        testSupport("TestNumbers"),

        // A place to take connections at.
        testSupport("TestSockets", uses: "TestSupport"),

        // A mail server.
        testSupport("TestMail", uses: "TestSockets"),

        tests(of: "Bytes"),
        tests(of: "EventLoop"),
        tests(of: "Localization", uses: "Bytes"),
        tests(of: "Domain", uses: "Bytes EventLoop Postgres TestDatabase"),
        tests(of: "Crypto", uses: "Bytes"),
        tests(of: "Postgres", uses: "Bytes EventLoop TestDatabase"),
        tests(of: "HTTP", uses: "Bytes EventLoop TestNumbers"),
        tests(of: "HTTPClient", uses: "Bytes CCurl EventLoop HTTP TestMail TestNumbers TestSockets"),
        tests(of: "DNS", uses: "EventLoop TestNames"),
        tests(of: "Templates", uses: "Localization Bytes"),
        tests(of: "QRCode"),
        tests(of: "WebAuthn", uses: "Bytes Crypto TestAuthenticator"),
        tests(of: "Audit", uses: "Bytes Crypto Domain EventLoop Postgres TestDatabase"),
        tests(of: "Console", uses: """
            Localization Notifications OAuth SignInTrace Federation Accounts Bytes Crypto DNS Directory Doctor Domain EventLoop HTTP HTTPClient Jobs Log Mail
            Operations Postgres Registry Hosted Simulator Templates Tenancy TestDatabase TestNames TestSockets TestTeams Web
            """),
        tests(of: "Directory", uses: """
            Localization OAuth Federation Accounts Bytes Domain EventLoop Crypto Postgres WebAuthn TestAuthenticator TestDatabase
            """),
        tests(of: "Jobs", uses: "Bytes Domain EventLoop Log Crypto Postgres TestDatabase"),
        tests(of: "Mail", uses: """
            Localization Bytes Domain EventLoop Log Crypto Postgres Jobs HTTPClient Templates TestDatabase TestMail
            """),
        tests(of: "Tenancy", uses: "Localization Bytes Domain EventLoop Crypto Postgres TestDatabase"),
        tests(of: "Registry", uses: """
            Localization Bytes EventLoop Domain Audit Crypto DNS HTTP HTTPClient Postgres Templates TestDatabase
            TestNames TestSockets
            """),
        tests(of: "Provisioning", uses: """
            Localization Bytes EventLoop Domain Tenancy Registry Directory Audit Crypto Postgres Templates TestDatabase
            TestNumbers
            """),
        tests(of: "OAuth", uses: """
            Localization Notifications SignInTrace Federation Accounts Operations Audit Bytes Domain EventLoop HTTP HTTPClient Jobs Log Crypto Postgres Registry Directory
            TestDatabase TestNumbers TestSockets TestTeams
            """),
        tests(of: "Hosted", uses: """
            Localization Bytes Domain EventLoop Log Jobs Mail Crypto Postgres Directory Notifications OAuth SignInTrace Federation Accounts Web HTTP Templates
            TestDatabase TestNumbers TestTeams Tenancy TestAuthenticator WebAuthn Simulator HTTPClient
            """),
        // The readers of fuzz/, which are links here.
        .testTarget(
            name: "FuzzSeedTests",
            dependencies: dependencies("Bytes Crypto Domain HTTP Localization Provisioning Registry Templates WebAuthn"),
            swiftSettings: settings),
        // The whole product in one process.
        tests(of: "pippin", uses: """
            Localization Notifications OAuth SignInTrace Federation Accounts Bytes Crypto Directory Domain EventLoop HTTP Jobs Log Operations Postgres
            Provisioning SampleApp Tenancy TestDatabase TestNumbers Web
            """),
    ])

// The tests of some modules, such as `Bytes HTTP`, for a build that needs no others.
if let names = Context.environment["PIPPIN_TESTS"] {
    let wanted = Set(names.split(separator: " ").map { String($0) + "Tests" })
    precondition(wanted.isSubset(of: package.targets.map(\.name)), "PIPPIN_TESTS names a module without tests")
    package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) }
}
