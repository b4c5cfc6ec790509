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
        .systemLibrary(name: "CUTF8Proc", pkgConfig: "libutf8proc", providers: [.apt(["libutf8proc-dev"])]),
        .systemLibrary(name: "CZxcvbn", providers: [.apt(["libzxcvbn-dev"])]),

        // Mechanism. Knows nothing of Pippin.
        module("EventLoop", uses: "CLinux"),
        module("Core", uses: "CUTF8Proc EventLoop"),
        module("Crypto", uses: "COpenSSL CFido2 CQREncode CSodium CZxcvbn Core"),
        module("Postgres", uses: "CPostgreSQL EventLoop Core"),
        module("HTTP", uses: "CMicroHTTPD CCurl CZlib CCares EventLoop Core"),
        module("Templates", uses: "Core"),

        // Capability. Knows neither HTML nor cookies.
        module("Platform", uses: "EventLoop Core Crypto Postgres HTTP Templates"),
        module("Directory", uses: "EventLoop Core Crypto Postgres Platform"),
        module("Registry", uses: "Core Crypto Postgres HTTP Platform Directory"),
        module("OAuth", uses: "EventLoop Core Crypto Postgres HTTP Platform Directory Registry"),
        module("Federation", uses: "EventLoop Core Crypto Postgres HTTP Platform Directory Registry OAuth"),
        module("Accounts", uses: "EventLoop Core Crypto Postgres HTTP Platform Directory Registry OAuth Federation"),

        // Pages and endpoints.
        module("SignIn", uses: "EventLoop Core Crypto Postgres HTTP Templates Platform Directory Registry OAuth Federation Accounts"),
        module("Console", uses: "EventLoop Core Crypto Postgres HTTP Templates Platform Directory Registry OAuth Federation Accounts SignIn"),
        module("Simulator", uses: "EventLoop Core Crypto HTTP Templates Platform Directory Registry OAuth Federation SignIn"),

        // Configuration, wiring, commands.
        .executableTarget(
            name: "pippin",
            dependencies: dependencies("CLinux EventLoop Core Crypto Postgres HTTP Templates Platform Directory Registry OAuth Federation Accounts SignIn Console Simulator"),
            swiftSettings: settings),

        // What tests share: how long they wait.
        testSupport("TestSupport"),

        // A real PostgreSQL.
        testSupport("TestDatabase", uses: "EventLoop Postgres Platform TestSupport"),

        // A name server that does what a test asks of it.
        testSupport("TestNames", uses: "EventLoop"),

        // A passkey in software, with real keys.
        testSupport("TestAuthenticator", uses: "Core Crypto"),

        // Two registered teams and their people.
        testSupport("TestTeams", uses: "EventLoop Core Crypto Postgres Platform Directory Registry OAuth Federation Accounts TestSupport TestDatabase"),

        // Numbers at the ends of what a number can be.
        testSupport("TestNumbers"),

        // A place to take connections at.
        testSupport("TestSockets", uses: "TestSupport"),

        // A mail server.
        testSupport("TestMail", uses: "TestSockets"),

        tests(of: "EventLoop"),
        tests(of: "Core"),
        tests(of: "Crypto", uses: "Core TestAuthenticator"),
        tests(of: "Postgres", uses: "EventLoop Core TestDatabase TestSockets"),
        tests(of: "HTTP", uses: "CCurl EventLoop Core TestNames TestNumbers TestSockets TestMail"),
        tests(of: "Templates", uses: "Core"),
        tests(of: "Platform", uses: "EventLoop Core Crypto Postgres HTTP Templates TestDatabase TestMail"),
        tests(of: "Directory", uses: "EventLoop Core Crypto Postgres Platform OAuth Federation Accounts TestDatabase TestAuthenticator"),
        tests(of: "Registry", uses: "EventLoop Core Crypto Postgres HTTP Templates Platform TestDatabase TestNames TestSockets"),
        tests(of: "OAuth", uses: "EventLoop Core Crypto Postgres HTTP Platform Directory Registry Federation Accounts TestDatabase TestTeams TestNumbers TestSockets"),
        tests(of: "Accounts", uses: "EventLoop Core Crypto Postgres Templates Platform Directory Registry TestDatabase TestNumbers"),
        tests(of: "SignIn", uses: "EventLoop Core Crypto Postgres HTTP Templates Platform Directory Registry OAuth Federation Accounts Simulator TestDatabase TestAuthenticator TestTeams TestNumbers"),
        tests(of: "Console", uses: "EventLoop Core Crypto Postgres HTTP Templates Platform Directory Registry OAuth Federation Accounts SignIn Simulator TestDatabase TestNames TestTeams TestMail"),
        // The whole product in one process.
        tests(of: "pippin", uses: "EventLoop Core Crypto Postgres HTTP Platform Directory OAuth Accounts SignIn Simulator TestDatabase TestNumbers"),
        // The readers of fuzz/, which are links here.
        .testTarget(
            name: "FuzzSeedTests", dependencies: dependencies("Core Crypto HTTP Templates Platform Registry Accounts"), swiftSettings: settings),
    ])

// The tests of some modules, such as `Core HTTP`, for a build that needs no others.
if let names = Context.environment["PIPPIN_TESTS"] {
    let wanted = Set(names.split(separator: " ").map { String($0) + "Tests" })
    precondition(wanted.isSubset(of: package.targets.map(\.name)), "PIPPIN_TESTS names a module without tests")
    package.targets.removeAll { $0.type == .test && !wanted.contains($0.name) }
}
