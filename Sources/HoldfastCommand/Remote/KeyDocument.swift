import CHoldfastCurl
import Glibc
import HoldfastIdentity
import HoldfastRESTAPI
import HoldfastThreads

/// Where an issuer's keys are: a file, or an address that is read over HTTPS.
enum KeyDocument: Sendable {
    case file(String)
    case address(Address)

    /// An address, in the parts that decide whether it may be asked.
    struct Address: Sendable {
        /// The whole of it.
        let text: String
        /// Scheme, host and port.
        let origin: String

        /// Takes an address over HTTPS, or over HTTP on this machine.
        init(_ text: String) throws(SigningKeyFailure) {
            guard let url = curl_url() else { throw KeyDocument.noMemory }
            defer { curl_url_cleanup(url) }
            func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
                var value: UnsafeMutablePointer<CChar>?
                guard curl_url_get(url, part, &value, UInt32(flags)) == CURLUE_OK else {
                    return nil
                }
                defer { curl_free(value) }
                return value.map { String(cString: $0) }
            }
            guard curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK,
                let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST),
                let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT)
            else { throw SigningKeyFailure("'\(text)' is not a URL") }
            let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
            guard scheme == "https" || scheme == "http" && AccessPolicy.isLoopback(name) else {
                throw SigningKeyFailure(
                    "'\(text)' is not allowed: use https://, or http:// on this machine")
            }
            self.text = text
            origin = "\(scheme)://\(host.lowercased()):\(port)"
        }
    }

    static let byteCountMax = 1 << 20
    /// How long reading may take with all redirections, in milliseconds.
    private static let millisecondCountMax: UInt64 = 5000
    private static let redirectCountMax = 3
    private static let noMemory = SigningKeyFailure("there is no memory")

    /// Takes the source that an option names.
    init(_ text: String) throws(SigningKeyFailure) {
        self = text.contains("://") ? .address(try Address(text)) : .file(text)
    }

    /// Whether it is a file, which may have secrets.
    var isFile: Bool {
        if case .file = self { return true }
        return false
    }

    /// Reads it. An address is asked for at most five seconds, and may lead on to others of its host alone.
    func read() throws(SigningKeyFailure) -> [UInt8] {
        switch self {
        case .file(let path): return try Self.read(path)
        case .address(let first):
            var address = first
            let deadline = monotonicMilliseconds() + Self.millisecondCountMax
            for _ in 0...Self.redirectCountMax {
                switch try Self.fetch(address, until: deadline) {
                case .document(let bytes): return bytes
                case .elsewhere(let next):
                    address = try Address(next)
                    guard address.origin == first.origin else {
                        throw SigningKeyFailure("\(first.text) leads to another host, '\(next)'")
                    }
                }
            }
            throw SigningKeyFailure("\(first.text) redirects too often")
        }
    }

    private static func read(_ path: String) throws(SigningKeyFailure) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            throw SigningKeyFailure("'\(path)' can't be opened: \(FileSystem.describe(errno))")
        }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: byteCountMax + 1)
        let count = bytes.withUnsafeMutableBytes { readAll(file, into: $0, at: 0) }
        guard count >= 0 else {
            throw SigningKeyFailure("'\(path)' can't be read: \(FileSystem.describe(errno))")
        }
        guard count <= byteCountMax else { throw SigningKeyFailure("'\(path)' is too large") }
        return Array(bytes[..<count])
    }

    private enum Reply {
        case document([UInt8])
        case elsewhere(String)
    }

    private final class Body { var bytes: [UInt8] = [] }

    private static func fetch(
        _ address: Address, until deadline: UInt64
    ) throws(SigningKeyFailure) -> Reply {
        let now = monotonicMilliseconds()
        guard now < deadline else { throw SigningKeyFailure("\(address.text) takes too long") }
        guard let curl = curl_easy_init() else { throw noMemory }
        defer { curl_easy_cleanup(curl) }
        let body = Body()
        shim_curl_set_text(curl, CURLOPT_URL, address.text)
        shim_curl_set_text(curl, CURLOPT_PROTOCOLS_STR, "http,https")
        shim_curl_set_number(curl, CURLOPT_NOSIGNAL, 1)
        shim_curl_set_number(curl, CURLOPT_TIMEOUT_MS, Int(deadline - now))
        // A proxy of the environment is for the network.
        if address.origin.hasPrefix("http://") { shim_curl_set_text(curl, CURLOPT_PROXY, "") }
        shim_curl_set_pointer(curl, CURLOPT_WRITEDATA, Unmanaged.passUnretained(body).toOpaque())
        shim_curl_set_body(curl, CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
            guard let context, let bytes else { return 0 }
            let body = Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
            guard body.bytes.count + count <= KeyDocument.byteCountMax else { return 0 }
            body.bytes += UnsafeRawBufferPointer(start: bytes, count: count)
            return count
        }
        let code = curl_easy_perform(curl)
        withExtendedLifetime(body) {}
        if code == CURLE_WRITE_ERROR { throw SigningKeyFailure("\(address.text) is too large") }
        guard code == CURLE_OK else {
            throw SigningKeyFailure("\(address.text): \(String(cString: curl_easy_strerror(code)))")
        }
        let status = shim_curl_status(curl)
        if let next = shim_curl_redirection(curl) { return .elsewhere(String(cString: next)) }
        guard status == 200 else { throw SigningKeyFailure("\(address.text) answers \(status)") }
        return .document(body.bytes)
    }
}
