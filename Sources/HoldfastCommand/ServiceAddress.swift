import Glibc

/// The address at which the service of a store listens: as `--listen` or its variable says, else as the service noted it
/// in the store's directory, else the default. An address that means every interface is reached by loopback.
struct ServiceAddress {
    /// An address for texts.
    static let example = "http://127.0.0.1:8080"
    /// The file in a store's directory that has the address of the service that serves it.
    private static let fileName = "holdfast.address"

    /// The host, without brackets.
    var host: String
    var port: String

    /// Finds the address; one of another form is left to the connection to refuse.
    init(_ arguments: Arguments) {
        let noted = Self.noted(in: OpenStore.directory(arguments))
        self.init(arguments.text("listen") ?? Environment.listen ?? noted ?? Verb.defaultListen)
    }

    /// Finds the address of the service that noted it in the directory that it serves; nil without a note.
    init?(in directory: String) {
        guard let noted = Self.noted(in: directory) else { return nil }
        self.init(noted)
    }

    /// Reads `host:port`.
    init(_ text: String) {
        let colon = text.lastIndex(of: ":")
        host = String(text[..<(colon ?? text.endIndex)])
        port = colon.map { String(text[text.index(after: $0)...]) } ?? "8080"
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host == "0.0.0.0" { host = "127.0.0.1" }
        if host == "::" { host = "::1" }
    }

    /// `http://host:port`
    var url: String { "http://\(authority)" }

    /// The advice to ask the service that has a store open, in place of opening its directory.
    var instead: String { "a running service can do it: give --url \(url) instead of --data" }

    /// `host:port`, with brackets around IPv6 addresses.
    var authority: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    // MARK: The note of a running service

    /// Notes the address of a service in the directory that it serves. A failure to write is ignored: the note is for
    /// messages only.
    static func note(_ address: String, in directory: String) {
        let path = "\(directory)/\(fileName)"
        guard let file = fopen(path, "w") else { return }
        _ = fputs(address + "\n", file)
        _ = fclose(file)
    }

    /// Takes the note back when the service ends.
    static func forget(in directory: String) { _ = unlink("\(directory)/\(fileName)") }

    private static func noted(in directory: String) -> String? {
        let note = try? FileSystem.read("\(directory)/\(fileName)", byteCountMax: 300)
        guard let line = note?.prefix(while: { $0 != 0 && $0 != 10 }), !line.isEmpty else {
            return nil
        }
        return String(decoding: line, as: UTF8.self)
    }
}

/// The environment variables of this program.
enum Environment {
    /// The variables that begin with `HOLDFAST_`.
    static func variables() -> [String: String] {
        var variables: [String: String] = [:]
        var pointer = environ
        while let entry = pointer.pointee {
            let text = String(cString: entry)
            if text.hasPrefix("HOLDFAST_"), let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            pointer += 1
        }
        return variables
    }

    /// The address of the service, for verbs that have no such option.
    static var listen: String? { variables()["HOLDFAST_LISTEN"] }
}
