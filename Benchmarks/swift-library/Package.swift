// swift-tools-version: 6.2
import Foundation
import PackageDescription

// A program outside that uses the library with default settings.
let package = Package(
    name: "library-benchmark",
    dependencies: [
        .package(
            name: "holdfast",
            path: ProcessInfo.processInfo.environment["HOLDFAST_PATH"] ?? "../..")
    ],
    targets: [
        .executableTarget(
            name: "LibraryBenchmark",
            dependencies: [
                .product(name: "Holdfast", package: "holdfast"),
                .product(name: "HoldfastBenchmarkCore", package: "holdfast"),
            ]),
        .executableTarget(
            name: "ManyClasses", dependencies: [.product(name: "Holdfast", package: "holdfast")]),
    ],
    swiftLanguageModes: [.v6])
