// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target: warnings are errors, and release builds optimise across modules.
let ours: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: ours)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: ours)
}

let package = Package(
    name: "holdfast",
    products: [
        .executable(name: "holdfast", targets: ["HoldfastCommand"])
    ],
    targets: [
        // Doors to C and C++ libraries.
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "CSimdJSON",
            cxxSettings: [.unsafeFlags(["-O3"])],
            linkerSettings: [.linkedLibrary("simdjson")]),

        // The parts, lowest first; nothing imports upwards.
        library("ObjectModel"),
        library("Rows", ["ObjectModel"]),
        library("Query", ["Rows"]),
        library("Storage"),
        library("StorageMemory", ["Storage"]),
        library("StorageLMDB", ["Storage", "CLMDB"]),
        library("ObjectStore", ["Query", "Storage"]),
        library("HTTPServer", ["CMicroHTTPD", "CZlib"]),
        library("JSON", ["CSimdJSON"]),
        library("StoreService", ["ObjectStore"]),
        library("RESTAPI", ["StoreService", "HTTPServer", "JSON", "CCrypto"]),
        .executableTarget(
            name: "HoldfastCommand", dependencies: ["RESTAPI", "StorageLMDB", "StorageMemory"],
            swiftSettings: ours),

        tests("HTTPServerTests", ["HTTPServer"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
