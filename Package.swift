// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target: warnings are errors. Release builds optimise across modules and
/// leave out the run-time checks for overlapping accesses, which debug builds and tests make.
let ours: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .unsafeFlags(
        ["-cross-module-optimization", "-enforce-exclusivity=unchecked"],
        .when(configuration: .release)),
]

func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], resources: [Resource] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies, resources: resources, swiftSettings: ours)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: ours)
}

let package = Package(
    name: "holdfast",
    products: [
        .executable(name: "holdfast", targets: ["HoldfastCommand"]),
        .executable(name: "Fuzz", targets: ["Fuzz"]),
    ],
    targets: [
        // Doors to C and C++ libraries.
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CMemory"),
        .systemLibrary(name: "CEpoll"),
        .systemLibrary(name: "CTime"),
        .target(name: "CDecimal", linkerSettings: [.linkedLibrary("bidgcc000")]),
        .target(
            name: "CICU",
            linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc")]),
        // Without NDEBUG the assertions in S2's headers would end the process.
        .target(
            name: "CGeometry", cxxSettings: [.define("NDEBUG")],
            linkerSettings: [.linkedLibrary("s2")]),
        .target(name: "CSimdJSON", linkerSettings: [.linkedLibrary("simdjson")]),

        // The parts, lowest first; nothing imports upwards.
        library("Bytes"),
        library("Threads"),
        library("JSON", ["Bytes", "CSimdJSON"]),
        library("ObjectModel", ["CDecimal"]),
        library("Rows", ["ObjectModel", "Bytes", "Threads"]),
        library("Text", ["Bytes", "CICU"]),
        library("Geometry", ["CGeometry"]),
        library("Query", ["Rows", "ObjectModel", "Bytes", "Text", "Geometry", "CMemory"]),
        library("Storage", ["Bytes"]),
        library("StorageMemory", ["Storage", "Bytes", "Threads"]),
        library("StorageLMDB", ["Storage", "Bytes", "Threads", "CLMDB", "CZlib", "CMemory"]),
        library(
            "ObjectStore",
            [
                "Query", "Text", "Geometry", "Rows", "ObjectModel", "Bytes", "Storage", "Threads",
                "CMemory",
            ]),
        library("HTTPServer", ["JSON", "Bytes", "Threads", "CMicroHTTPD", "CEpoll", "CZlib"]),
        library(
            "ObjectJSON",
            [
                "Text", "JSON", "ObjectStore", "Query", "Rows", "ObjectModel", "Bytes", "Storage",
            ]),
        library(
            "StoreService",
            [
                "ObjectJSON", "ObjectStore", "Query", "Text", "Rows", "ObjectModel", "Bytes",
                "JSON",
                "Storage", "Threads", "CCrypto", "CMemory", "CTime",
            ]),
        library(
            "RESTAPI",
            [
                "StoreService", "ObjectJSON", "ObjectStore", "Query", "Text", "Rows", "ObjectModel",
                "Bytes", "HTTPServer", "JSON", "Threads", "CCrypto",
            ],
            resources: [
                .embedInCode("OpenAPI/classes.json"), .embedInCode("OpenAPI/components.json"),
            ]),
        .executableTarget(
            name: "HoldfastCommand",
            dependencies: [
                "RESTAPI", "StoreService", "ObjectJSON", "ObjectStore", "HTTPServer", "JSON",
                "Text",
                "Storage", "StorageLMDB", "Threads", "CZlib", "CCurl",
            ],
            swiftSettings: ours,
            // With Swift's own libraries in the program it needs no toolchain where it runs, and each count
            // of a reference is a direct call.
            linkerSettings: [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "RESTAPI", "StoreService", "ObjectJSON", "ObjectStore", "Query", "Rows",
                "ObjectModel", "JSON",
                "Bytes", "StorageLMDB", "Threads", "TestSupport", "ObjectSupport",
            ],
            swiftSettings: ours),

        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "ObjectStore", "Query", "Rows", "ObjectModel", "JSON", "Bytes", "Storage",
                "Threads",
                "TestSupport", "ObjectSupport", "PlainQuery",
            ],
            swiftSettings: ours),

        // Tests.
        .target(
            name: "TestSupport",
            dependencies: ["Storage", "StorageMemory", "StorageLMDB"],
            path: "Tests/TestSupport", swiftSettings: ours),
        .executableTarget(
            name: "StorageProbe",
            dependencies: ["Storage", "StorageLMDB", "TestSupport"],
            path: "Tests/StorageProbe", swiftSettings: ours),
        tests(
            "StorageTests",
            ["Storage", "StorageMemory", "StorageLMDB", "TestSupport", "StorageProbe"]),
        .target(
            name: "ObjectSupport",
            dependencies: [
                "ObjectStore", "Query", "Rows", "ObjectModel", "Bytes", "Storage", "Threads",
                "TestSupport",
            ],
            path: "Tests/ObjectSupport", swiftSettings: ours),
        .target(
            name: "PlainQuery",
            dependencies: [
                "ObjectStore", "Query", "Rows", "ObjectModel", "Storage", "TestSupport", "Threads",
                "ObjectSupport",
            ],
            path: "Tests/PlainQuery", swiftSettings: ours),
        .target(
            name: "ServiceSupport",
            dependencies: [
                "StoreService", "ObjectJSON", "ObjectStore", "ObjectModel", "JSON", "Bytes",
                "Threads", "TestSupport", "ObjectSupport",
            ],
            path: "Tests/ServiceSupport", swiftSettings: ours),
        tests("ObjectModelTests", ["ObjectModel", "TestSupport"]),
        tests(
            "RowsTests",
            [
                "Rows", "ObjectModel", "Bytes", "ObjectStore", "StorageMemory", "TestSupport",
                "ObjectSupport",
            ]),
        tests(
            "ObjectStoreTests",
            [
                "ObjectStore", "Query", "Rows", "ObjectModel", "Bytes", "Storage", "StorageMemory",
                "StorageLMDB", "Threads", "TestSupport", "ObjectSupport", "PlainQuery",
            ]),
        tests(
            "ObjectJSONTests",
            [
                "ObjectJSON", "StoreService", "ObjectModel", "JSON", "Bytes", "TestSupport",
                "ServiceSupport",
            ]),
        tests(
            "StoreServiceTests",
            [
                "StoreService", "ObjectJSON", "ObjectStore", "Rows", "ObjectModel", "JSON", "Bytes",
                "Threads", "TestSupport", "ObjectSupport", "PlainQuery", "ServiceSupport",
            ]),
        tests(
            "RESTAPITests",
            [
                "RESTAPI", "StoreService", "ObjectJSON", "ObjectStore", "Rows", "ObjectModel",
                "Bytes", "JSON",
                "Storage", "HTTPServer", "Threads", "TestSupport", "ObjectSupport", "PlainQuery",
                "ServiceSupport", "CZlib",
            ]),
        tests(
            "HoldfastCommandTests",
            [
                "HoldfastCommand", "RESTAPI", "ObjectJSON", "ObjectStore", "ObjectModel",
                "HTTPServer",
                "TestSupport", "CZlib",
            ]),
        tests("JSONTests", ["JSON", "Bytes", "TestSupport"]),
        tests("TextTests", ["Text", "Bytes", "CICU", "TestSupport"]),
        tests("GeometryTests", ["Geometry", "TestSupport"]),
        tests(
            "QueryTests",
            [
                "Query", "Rows", "ObjectModel", "ObjectStore", "Bytes", "Geometry", "TestSupport",
                "ObjectSupport",
            ]),
        tests("HTTPServerTests", ["HTTPServer", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
