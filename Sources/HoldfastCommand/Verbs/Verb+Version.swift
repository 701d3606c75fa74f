import HoldfastRESTAPI

extension Verb {
    static let version = Verb(name: "version", summary: "Prints the version.") { _ in
        Terminal.write("holdfast \(ServiceVersion.text)\n")
        return .success
    }
}
