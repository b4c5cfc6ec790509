// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nothing of the product is ever built with the fuzzer in it. The modules under
// test are links to the product's sources.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .strictMemorySafety(),
]

func module(_ name: String, uses dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
    name: "Fuzz",
    targets: [
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "CMicroHTTPD", pkgConfig: "libmicrohttpd"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "CSodium", pkgConfig: "libsodium"),
        module("Bytes", uses: []),
        module("EventLoop", uses: ["CLinux"]),
        module("Crypto", uses: ["Bytes", "COpenSSL", "CSodium"]),
        module("HTTP", uses: ["Bytes", "EventLoop", "CMicroHTTPD", "CZlib"]),
        module("Templates", uses: ["Bytes"]),
        .executableTarget(
            name: "Fuzz",
            dependencies: ["Bytes", "Crypto", "HTTP", "Templates"],
            swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]
        ),
    ]
)
