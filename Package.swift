// swift-tools-version: 6.2
import PackageDescription

// Every target is named by its folder and "Holdfast", so that none has the name of a target of the program that uses the
// library: SwiftPM refuses two targets of one name, whatever packages they belong to.

/// The name of the target in a folder: `HoldfastQuery` of `Query`, and of a door to a C library `CHoldfastLMDB` of `CLMDB`.
func named(_ folder: String) -> String {
    if folder.hasPrefix("Holdfast") { return folder }
    let isDoor = folder.hasPrefix("C") && folder.dropFirst().first?.isUppercase == true
    return isDoor ? "CHoldfast" + folder.dropFirst() : "Holdfast" + folder
}

/// Whether this package was fetched for a program that uses it. Such a package may not have unsafe flags.
let isFetched = ["/checkouts/", "/registry/downloads/"].contains {
    Context.packageDirectory.contains($0)
}

/// The parts in whose loops random tests spend their time, and the models that these compare them with. Debug builds optimise
/// them, too, which makes the build longer by less than it makes the tests shorter.
let optimized: Set = [
    "Bytes", "Threads", "JSON", "ObjectModel", "Rows", "Query", "Storage", "StorageMemory",
    "StorageLMDB", "ObjectStore", "ObjectJSON", "HTTPServer", "ObjectSupport", "PlainQuery",
    "TestSupport", "ServiceSupport",
]

func settings(of folder: String) -> [SwiftSetting] {
    isFetched || !optimized.contains(folder)
        ? [] : [.unsafeFlags(["-O"], .when(configuration: .debug))]
}

func dependencies(_ folders: [String]) -> [Target.Dependency] {
    folders.map { .byName(name: named($0)) }
}

/// A library to C.
func door(_ folder: String, pkgConfig: String? = nil, apt: String? = nil) -> Target {
    .systemLibrary(
        name: named(folder), path: "Sources/\(folder)", pkgConfig: pkgConfig,
        providers: apt.map { [.apt([$0])] })
}

/// The pages of a target and of its rooms, which are not compiled. The rooms stand in their order: `scripts/check-layers` reads
/// it here.
func pages(in folder: String) -> [String] {
    let rooms = [
        "ObjectStore": ["Catalog", "Reading", "Writing", "Changes", "Maintenance", "Store"],
        "Query": ["Language", "Matching", "Analysis"],
        "Holdfast": ["Objects", "Observation", "Projections", "Sections"],
    ]
    return ["README.md"] + (rooms[folder] ?? []).map { "\($0)/README.md" }
}

func library(_ folder: String, _ folders: [String] = [], resources: [Resource] = []) -> Target {
    .target(
        name: named(folder), dependencies: dependencies(folders), path: "Sources/\(folder)",
        exclude: pages(in: folder), resources: resources, swiftSettings: settings(of: folder))
}

func program(
    _ folder: String, _ folders: [String], in path: String? = nil,
    linking: [LinkerSetting] = []
) -> Target {
    .executableTarget(
        name: named(folder), dependencies: dependencies(folders), path: path ?? "Sources/\(folder)",
        exclude: folder == "StorageProbe" ? [] : pages(in: folder), linkerSettings: linking)
}

/// What several test targets use.
func support(_ folder: String, _ folders: [String]) -> Target {
    .target(
        name: named(folder), dependencies: dependencies(folders), path: "Tests/\(folder)",
        swiftSettings: settings(of: folder))
}

func tests(_ name: String, _ folders: [String], excluding texts: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies(folders), exclude: texts)
}

let package = Package(
    name: "holdfast",
    products: [
        .library(name: "Holdfast", targets: ["Holdfast"]),
        .executable(name: "holdfast", targets: ["HoldfastCommand"]),
        // The reference of the library's benchmark, which is a program outside.
        .library(name: "HoldfastBenchmarkCore", targets: ["HoldfastBenchmarkCore"]),
    ],
    targets: [
        // Doors to C and C++ libraries.
        door("CLMDB", pkgConfig: "lmdb", apt: "liblmdb-dev"),
        door("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev"),
        door("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        door("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev"),
        door("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        door("CJOSE", pkgConfig: "cjose", apt: "libcjose-dev"),
        door("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
        door("CMemory"),
        door("CEpoll"),
        door("CTime"),
        .target(
            name: named("CDecimal"), path: "Sources/CDecimal",
            linkerSettings: [.linkedLibrary("bidgcc000")]),
        .target(
            name: named("CICU"), path: "Sources/CICU",
            linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc")]),
        // Without NDEBUG the assertions in S2's headers would end the process.
        .target(
            name: named("CGeometry"), path: "Sources/CGeometry", cxxSettings: [.define("NDEBUG")],
            linkerSettings: [.linkedLibrary("s2")]),
        .target(
            name: named("CSimdJSON"), path: "Sources/CSimdJSON",
            linkerSettings: [.linkedLibrary("simdjson")]),

        .target(name: named("CRuntime"), path: "Sources/CRuntime"),
        .target(name: named("CSample"), path: "Sources/CSample"),
        .target(
            name: named("CAssets"), path: "Sources/CAssets", exclude: ["docs", "swagger-ui"]),

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
        library(
            "Holdfast",
            [
                "ObjectStore", "Query", "Geometry", "Rows", "ObjectModel", "Bytes",
                "Storage",
                "StorageMemory", "StorageLMDB", "Threads", "CRuntime",
            ]),
        library("HTTPServer", ["JSON", "Bytes", "Threads", "CMicroHTTPD", "CEpoll", "CZlib"]),
        library(
            "ObjectJSON",
            [
                "Text", "JSON", "ObjectStore", "Query", "Rows", "ObjectModel", "Bytes", "Storage",
            ]),
        library(
            "Access",
            [
                "ObjectJSON", "ObjectStore", "Query", "Text", "Rows", "ObjectModel", "Bytes",
                "JSON", "Threads", "CCrypto", "CSodium",
            ]),
        library(
            "StoreService",
            [
                "Access", "ObjectJSON", "ObjectStore", "Query", "Text", "Rows", "ObjectModel",
                "Bytes", "JSON", "Storage", "Threads", "CCrypto", "CMemory",
            ]),
        library(
            "Streams",
            [
                "StoreService", "Access", "ObjectJSON", "ObjectStore", "Query", "Rows",
                "ObjectModel", "Bytes", "JSON", "Threads", "CCrypto", "CSodium",
            ]),
        library(
            "Transfer",
            [
                "StoreService", "Access", "ObjectJSON", "ObjectStore", "Text", "Rows",
                "ObjectModel", "Bytes", "JSON", "Threads", "CMemory", "CTime",
            ]),
        library(
            "Identity",
            [
                "StoreService", "Access", "ObjectJSON", "ObjectModel", "Bytes", "JSON", "Threads",
                "CJOSE", "CSodium",
            ]),
        library(
            "RESTAPI",
            [
                "Identity", "Transfer", "Streams", "StoreService", "Access", "ObjectJSON",
                "ObjectStore", "Query", "Text", "Rows", "ObjectModel", "Bytes", "HTTPServer",
                "JSON", "Threads", "CCrypto", "CAssets",
            ],
            resources: [
                .embedInCode("OpenAPI/classes.json"), .embedInCode("OpenAPI/components.json"),
            ]),
        program(
            "HoldfastCommand",
            [
                "RESTAPI", "Identity", "Transfer", "StoreService", "Access", "ObjectJSON",
                "ObjectStore", "ObjectModel", "HTTPServer", "JSON", "Text",
                "Storage", "StorageLMDB", "Threads", "CZlib", "CCurl", "CSample",
            ],
            // With Swift's own libraries in the program it needs no toolchain where it runs, and each count
            // of a reference is a direct call.
            linking: isFetched
                ? [] : [.unsafeFlags(["-static-stdlib"], .when(configuration: .release))]),
        program(
            "Benchmarks",
            [
                "RESTAPI", "Transfer", "StoreService", "ObjectJSON", "ObjectStore", "Query", "Rows",
                "ObjectModel", "JSON",
                "Bytes", "StorageLMDB", "Threads", "TestSupport", "ObjectSupport",
            ], in: "Benchmarks/embedded"),

        .target(
            name: named("BenchmarkCore"),
            dependencies: dependencies([
                "ObjectStore", "Query", "Rows", "ObjectModel", "StorageLMDB", "Threads",
            ]), path: "Benchmarks/swift-library/Core"),
        program(
            "Fuzz",
            [
                "ObjectStore", "Query", "Rows", "ObjectModel", "JSON", "Bytes", "Storage",
                "Threads",
                "TestSupport", "ObjectSupport", "PlainQuery",
            ], in: "Tests/Fuzz"),

        // Tests.
        support(
            "TestSupport",
            ["Storage", "StorageMemory", "StorageLMDB"]),
        program(
            "StorageProbe", ["Storage", "StorageLMDB", "TestSupport"], in: "Tests/StorageProbe"),
        tests(
            "StorageTests",
            ["Storage", "StorageMemory", "StorageLMDB", "TestSupport", "StorageProbe"]),
        support(
            "ObjectSupport",
            [
                "ObjectStore", "Query", "Rows", "ObjectModel", "Bytes", "Storage", "Threads",
                "TestSupport",
            ]),
        support(
            "PlainQuery",
            [
                "ObjectStore", "Query", "Rows", "ObjectModel", "Storage", "TestSupport", "Threads",
                "ObjectSupport",
            ]),
        support(
            "ServiceSupport",
            [
                "Transfer", "StoreService", "ObjectJSON", "ObjectStore", "ObjectModel", "JSON",
                "Bytes", "Threads", "TestSupport", "ObjectSupport", "CJOSE", "CCrypto",
            ]),
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
                "Transfer", "Streams", "StoreService", "Access", "ObjectJSON", "ObjectStore",
                "Rows",
                "ObjectModel", "JSON", "Bytes", "Threads", "TestSupport", "ObjectSupport",
                "PlainQuery", "ServiceSupport",
            ]),
        tests(
            "IdentityTests",
            [
                "Identity", "StoreService", "ObjectJSON", "Threads", "TestSupport",
                "ServiceSupport",
            ]),
        tests(
            "RESTAPITests",
            [
                "RESTAPI", "Identity", "Transfer", "Streams", "StoreService", "Access",
                "ObjectJSON", "ObjectStore", "Rows", "ObjectModel", "Bytes", "JSON",
                "Storage", "HTTPServer", "Threads", "TestSupport", "ObjectSupport", "PlainQuery",
                "ServiceSupport", "CZlib",
            ]),
        tests(
            "HoldfastCommandTests",
            [
                "HoldfastCommand", "RESTAPI", "Identity", "ObjectJSON", "ObjectStore",
                "ObjectModel",
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
                "ObjectSupport", "PlainQuery",
            ]),
        tests(
            "HoldfastTests", ["Holdfast", "ObjectStore", "StorageLMDB", "TestSupport"],
            excluding: ["Samples/README.md"]),
        tests("HTTPServerTests", ["HTTPServer", "Threads", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
