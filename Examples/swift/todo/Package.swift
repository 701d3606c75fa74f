// swift-tools-version: 6.2
import PackageDescription

// A program of your own names the library by the folder of a clone, as here, or by a Git URL: docs/swift-tutorial.md.
let package = Package(
    name: "todo",
    dependencies: [.package(name: "holdfast", path: "../../..")],
    targets: [
        .executableTarget(
            name: "todo", dependencies: [.product(name: "Holdfast", package: "holdfast")])
    ],
    swiftLanguageModes: [.v6])
