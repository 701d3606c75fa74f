// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Has targets of names that the library's own once had, and takes the library as programs do: a tagged
// version by a Git URL.
let package = Package(
    name: "kennel",
    dependencies: [
        .package(
            url: ProcessInfo.processInfo.environment["HOLDFAST_URL"] ?? "file:///holdfast",
            from: "0.0.1")
    ],
    targets: [
        .target(name: "JSON"),
        .target(name: "Query"),
        .target(name: "Storage"),
        .executableTarget(
            name: "kennel",
            dependencies: [
                "JSON", "Query", "Storage", .product(name: "Holdfast", package: "holdfast"),
            ]),
    ],
    swiftLanguageModes: [.v6])
