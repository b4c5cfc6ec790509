// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nothing of the product is ever built with the fuzzer in it. Its modules are links to the
// product's sources; which of them may use which is the product's Package.swift to say, so here each uses all below it.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"), .enableUpcomingFeature("InferIsolatedConformances"),
    .strictMemorySafety(),
    // The fuzzer feeds readers that no other module sees.
    .unsafeFlags(["-enable-testing"]),
]

let libraries: [Target] = [
    .systemLibrary(name: "CLinux"), .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd"),
    .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq"), .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl"), .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
    .systemLibrary(name: "CCares", pkgConfig: "libcares"), .systemLibrary(name: "CFido2", pkgConfig: "libfido2"),
    .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode"),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium"), .systemLibrary(name: "CZxcvbn"),
    .systemLibrary(name: "CFuzzer"),
]

/// From the bottom up.
let modules = [
    "EventLoop", "Core", "Crypto", "Postgres", "HTTP", "Templates", "Platform", "Directory", "Registry", "OAuth",
    "Federation", "Accounts", "SignIn", "Console", "Simulator",
]

func module(_ name: String, on below: [String], leavingOut excluded: [String] = []) -> Target {
    .target(name: name, dependencies: below.map { .byName(name: $0) }, exclude: excluded, swiftSettings: settings)
}

let system = libraries.map(\.name)
let all = system + modules
let around = [
    // Its main function is libFuzzer's here.
    module("pippin", on: all, leavingOut: ["Pippin.swift"]), module("TestSupport", on: []),
    module("TestDatabase", on: all + ["TestSupport"]), module("TestAuthenticator", on: all),
]

let package = Package(
    name: "Fuzz",
    targets: libraries + modules.indices.map { module(modules[$0], on: system + modules[..<$0]) } + around + [
        .executableTarget(
            name: "Fuzz", dependencies: (all + around.map(\.name)).map { .byName(name: $0) },
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])])
    ])
