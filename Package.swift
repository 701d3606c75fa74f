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
    targets: [
        // Doors to C and C++ libraries.
        .systemLibrary(name: "CLMDB", pkgConfig: "lmdb", providers: [.apt(["liblmdb-dev"])]),

        // The parts, lowest first; nothing imports upwards.
        library("Bytes"),
        library("ObjectModel"),
        library("Rows", ["ObjectModel", "Bytes"]),
        library("Query", ["Rows", "ObjectModel", "Bytes"]),
        library("Storage"),

        tests("QueryTests", ["Query", "Rows", "ObjectModel", "Bytes"]),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
