// swift-tools-version: 6.2
import Foundation
import PackageDescription

// The tutorial's package with targets of names that the library's own once had.
let package = Package(
    name: "kennel",
    dependencies: [
        .package(
            url: ProcessInfo.processInfo.environment["HOLDFAST_URL"] ?? "file:///holdfast",
            from: "0.3.0")
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
        .testTarget(name: "kennelTests", dependencies: ["kennel"]),
    ],
    swiftLanguageModes: [.v6])
