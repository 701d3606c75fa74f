// swift-tools-version: 6.2
import PackageDescription

// A program of your own names the library by a Git URL, as docs/swift-tutorial.md does.
let package = Package(
    name: "contacts",
    dependencies: [.package(name: "holdfast", path: "../../..")],
    targets: [
        .executableTarget(
            name: "contacts", dependencies: [.product(name: "Holdfast", package: "holdfast")])
    ],
    swiftLanguageModes: [.v6])
