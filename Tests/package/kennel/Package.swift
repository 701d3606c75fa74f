// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// The library: a tagged version, or a clone.
let environment = ProcessInfo.processInfo.environment
let library: Package.Dependency =
    if let url = environment["HOLDFAST_URL"] {
        .package(url: url, from: "0.3.0")
    } else {
        .package(name: "holdfast", path: environment["HOLDFAST_CLONE"] ?? "../../..")
    }

// The tutorial's package with targets of names that the library's own once had.
let package = Package(
    name: "kennel",
    dependencies: [library],
    targets: [
        .target(name: "JSON"),
        .target(name: "Query"),
        .target(name: "Storage"),
        .executableTarget(
            name: "kennel",
            dependencies: [
                "JSON", "Query", "Storage", .product(name: "Holdfast", package: "holdfast"),
            ]),
        .testTarget(name: "kennelTests", dependencies: ["kennel"]),
    ],
    swiftLanguageModes: [.v6])
