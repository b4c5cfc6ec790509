// swift-tools-version: 6.2
import PackageDescription

// The list of what each module may use is the architecture; `make build` refuses an import that is not
// declared here (--explicit-target-dependency-import-check error). Arrows point down only.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

func module(_ name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(of name: String, uses dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.byName(name: name)] + dependencies,
        swiftSettings: settings
    )
}

let package = Package(
    name: "Pippin",
    products: [.executable(name: "pippin", targets: ["pippin"])],
    targets: [
        // Level 0: C libraries of the system, each with one shim header.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(
            name: "CMicroHTTPD",
            pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]
        ),
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
        module("EventLoop", uses: ["CLinux"]),
        module("Log", uses: ["Bytes", "EventLoop"]),
        module("Crypto", uses: ["Bytes", "COpenSSL", "CSodium", "CZxcvbn"]),
        module("Postgres", uses: ["Bytes", "EventLoop", "CPostgreSQL"]),
        module("HTTP", uses: ["Bytes", "EventLoop", "CMicroHTTPD", "CZlib"]),
        module("HTTPClient", uses: ["Bytes", "EventLoop", "CCurl"]),
        module("DNS", uses: ["EventLoop", "CCares"]),
        module("Templates", uses: ["Bytes"]),
        module("QRCode", uses: ["CQREncode"]),
        module("WebAuthn", uses: ["Bytes", "Crypto", "CFido2"]),

        // Level 2: capability. Knows neither incoming HTTP nor HTML nor cookies.
        module("Domain", uses: ["Bytes", "Crypto", "Postgres"]),
        module("Audit", uses: ["Bytes", "Domain", "Postgres", "Crypto"]),
        module("Jobs", uses: ["Bytes", "Domain", "EventLoop", "Log", "Audit", "Crypto", "Postgres"]),
        module("Operations", uses: ["Bytes", "Domain", "Postgres"]),
        module("Mail", uses: ["Bytes", "Domain", "Jobs", "Crypto", "Postgres", "HTTPClient", "Templates"]),
        module("Tenancy", uses: ["Bytes", "Domain", "Log", "Audit", "Crypto", "Postgres"]),
        module(
            "Registry",
            uses: ["Bytes", "Domain", "Audit", "Crypto", "Postgres", "HTTPClient", "DNS"]
        ),
        module(
            "Directory",
            uses: ["Bytes", "Domain", "EventLoop", "Audit", "Crypto", "Postgres", "WebAuthn"]
        ),
        module(
            "AuthEngine",
            uses: [
                "Bytes", "Domain", "EventLoop", "Log", "Tenancy", "Registry", "Directory", "Audit", "Jobs",
                "Crypto", "Postgres", "HTTPClient",
            ]
        ),
        module(
            "Providers",
            uses: [
                "Bytes", "Domain", "EventLoop", "Registry", "Directory", "AuthEngine", "Jobs", "Crypto",
                "HTTPClient",
            ]
        ),
        module(
            "Provisioning",
            uses: [
                "Bytes", "Domain", "EventLoop", "Tenancy", "Registry", "Directory", "AuthEngine", "Audit",
                "Crypto", "Postgres",
            ]
        ),

        module(
            "Doctor",
            uses: [
                "Bytes", "Domain", "Tenancy", "Registry", "Directory", "AuthEngine", "Providers", "Audit",
                "Crypto",
                "HTTPClient",
                "Postgres",
            ]
        ),

        // Level 3: pages and endpoints.
        module(
            "Web",
            uses: [
                "Bytes", "Domain", "Log", "Directory", "AuthEngine", "Crypto", "Postgres", "HTTP",
                "Templates",
            ]
        ),
        module(
            "SignIn",
            uses: [
                "Bytes", "Domain", "EventLoop", "Log", "Mail", "Web", "Tenancy", "Registry", "Directory",
                "AuthEngine", "Providers", "Crypto", "Postgres", "HTTP", "Templates", "QRCode", "WebAuthn",
            ]
        ),
        module(
            "Console",
            uses: [
                "Bytes", "Domain", "EventLoop", "Log", "Web", "Tenancy", "Registry", "Directory",
                "AuthEngine", "Providers", "Doctor", "HTTPClient", "SignIn", "Jobs", "Mail", "Operations",
                "Audit", "Crypto", "Postgres", "HTTP", "Templates",
            ]
        ),
        module(
            "Simulator",
            uses: [
                "Bytes", "Domain", "EventLoop", "Web", "Tenancy", "Directory", "AuthEngine", "SignIn",
                "Crypto",
                "HTTP", "Templates",
            ]
        ),
        module("SampleApp", uses: ["Bytes", "Domain", "Web", "Crypto", "HTTP", "HTTPClient", "Templates"]),

        // Level 4: configuration, wiring, commands.
        .executableTarget(
            name: "pippin",
            dependencies: [
                "CLinux", "Bytes", "DNS", "Domain", "EventLoop", "Log", "Crypto", "Postgres", "HTTP",
                "HTTPClient",
                "Templates", "Audit", "Jobs", "Mail", "Operations", "Tenancy", "Registry", "Directory",
                "AuthEngine",
                "Provisioning",
                "Providers",
                "Doctor",
                "SignIn",
                "Simulator",
                "Console",
                "SampleApp",
            ],
            swiftSettings: settings
        ),

        // What tests share: a real PostgreSQL.
        .target(
            name: "TestDatabase",
            dependencies: ["Postgres"],
            path: "Tests/TestDatabase",
            swiftSettings: settings
        ),

        // A name server that does what a test asks of it.
        .target(
            name: "TestNames",
            dependencies: ["EventLoop"],
            path: "Tests/TestNames",
            swiftSettings: settings
        ),

        // A passkey in software, with real keys.
        .target(
            name: "TestAuthenticator",
            dependencies: ["Bytes", "Crypto"],
            path: "Tests/TestAuthenticator",
            swiftSettings: settings
        ),

        // Two registered teams and their people.
        .target(
            name: "TestTeams",
            dependencies: [
                "Bytes", "Domain", "EventLoop", "Crypto", "Postgres", "Registry", "Directory", "AuthEngine",
                "TestDatabase",
            ],
            path: "Tests/TestTeams",
            swiftSettings: settings
        ),

        // Numbers at the ends of what a number can be.
        .target(name: "TestNumbers", path: "Tests/TestNumbers", swiftSettings: settings),

        // A place to take connections at.
        .target(name: "TestSockets", path: "Tests/TestSockets", swiftSettings: settings),

        // A mail server.
        .target(
            name: "TestMail",
            dependencies: ["TestSockets"],
            path: "Tests/TestMail",
            swiftSettings: settings
        ),

        tests(of: "Bytes"),
        tests(of: "EventLoop"),
        tests(of: "Domain", uses: ["Bytes"]),
        tests(of: "Crypto", uses: ["Bytes"]),
        tests(of: "Postgres", uses: ["Bytes", "EventLoop", "TestDatabase"]),
        tests(of: "HTTP", uses: ["Bytes", "EventLoop", "TestNumbers"]),
        tests(
            of: "HTTPClient",
            uses: ["Bytes", "EventLoop", "HTTP", "TestMail", "TestNumbers", "TestSockets"]
        ),
        tests(of: "DNS", uses: ["EventLoop", "TestNames"]),
        tests(of: "Templates", uses: ["Bytes"]),
        tests(of: "QRCode"),
        tests(of: "WebAuthn", uses: ["Bytes", "Crypto", "TestAuthenticator"]),
        tests(of: "Audit", uses: ["Bytes", "Crypto", "Domain", "EventLoop", "Postgres", "TestDatabase"]),
        tests(
            of: "Console",
            uses: [
                "AuthEngine", "Bytes", "Crypto", "DNS", "Directory", "Doctor", "Domain", "EventLoop",
                "HTTP", "HTTPClient", "Jobs", "Log", "Mail", "Postgres", "Providers", "Registry",
                "SignIn", "Simulator", "Templates", "Tenancy", "TestDatabase", "TestNames", "TestSockets",
                "Web",
            ]
        ),
        tests(
            of: "Directory",
            uses: [
                "Bytes", "Domain", "EventLoop", "Crypto", "Postgres", "WebAuthn", "TestAuthenticator",
                "TestDatabase",
            ]
        ),
        tests(
            of: "Jobs",
            uses: [
                "Bytes", "Domain", "EventLoop", "Log", "Crypto", "Postgres", "TestDatabase",
            ]
        ),
        tests(
            of: "Mail",
            uses: [
                "Bytes", "Domain", "EventLoop", "Log", "Crypto", "Postgres", "Jobs", "HTTPClient",
                "Templates", "TestDatabase", "TestMail",
            ]
        ),
        tests(
            of: "Tenancy",
            uses: ["Bytes", "Domain", "EventLoop", "Crypto", "Postgres", "TestDatabase"]
        ),
        tests(
            of: "Registry",
            uses: [
                "Bytes", "EventLoop", "Domain", "Audit", "Crypto", "DNS", "HTTP", "HTTPClient",
                "Postgres", "Templates", "TestDatabase", "TestNames", "TestSockets",
            ]
        ),
        tests(
            of: "Provisioning",
            uses: [
                "Bytes", "EventLoop", "Domain", "Tenancy", "Registry", "Directory", "Audit", "Crypto",
                "Postgres", "Templates", "TestDatabase", "TestNumbers",
            ]
        ),
        tests(
            of: "AuthEngine",
            uses: [
                "Audit", "Bytes", "Domain", "EventLoop", "HTTP", "HTTPClient", "Jobs", "Log", "Crypto",
                "Postgres", "Registry", "Directory", "TestNumbers", "TestTeams",
            ]
        ),
        tests(
            of: "SignIn",
            uses: [
                "Bytes", "Domain", "EventLoop", "Log", "Jobs", "Mail", "Crypto", "Postgres", "Directory",
                "AuthEngine", "Web", "HTTP", "Templates", "TestNumbers", "TestTeams", "Tenancy",
                "TestAuthenticator", "WebAuthn", "Providers", "Simulator", "HTTPClient",
            ]
        ),
        // The whole product in one process.
        tests(
            of: "pippin",
            uses: [
                "AuthEngine", "Bytes", "Crypto", "Directory", "Domain", "EventLoop", "HTTP", "Jobs",
                "Log", "Operations", "Postgres", "Provisioning", "SampleApp", "Tenancy", "TestDatabase",
                "TestNumbers", "Web",
            ]
        ),
    ]
)
