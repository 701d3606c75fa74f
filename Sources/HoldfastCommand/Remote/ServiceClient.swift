import CHoldfastCurl
import Glibc
import HoldfastAccess
import HoldfastJSON
import HoldfastRESTAPI
import HoldfastStoreService

/// A client of a running service, for verbs that work on one instead of a directory. One thread at a time.
final class ServiceClient {
    /// The options by which verbs find a running service.
    static let options = [
        Option(
            "url", "URL",
            "a running service to work on instead of a directory, such as \(ServiceAddress.example)"
        ),
        Option(
            "token", "TOKEN",
            "the token for the service; as a variable it stays hidden from other users"),
        Option(
            "token-file", "FILE",
            "a file with the token as its first line, such as a container's secret"),
    ]

    /// The bytes of a token's file that are read.
    private static let tokenFileByteCountMax = 64 << 10

    /// The bytes of a refusal that are read.
    private static let refusalByteCountMax = 4 << 20

    /// Gives the next bytes of a request's body: how many; 0 at the end, nil when it can't be read.
    typealias BodySource = (UnsafeMutableRawBufferPointer) -> Int?
    /// Takes a piece of a reply's body; false when no more is wanted.
    typealias BodyTarget = (UnsafeRawBufferPointer) -> Bool

    /// The state of the transfer that the library calls back for.
    private final class Transfer {
        let handle: OpaquePointer
        let source: BodySource
        let target: BodyTarget
        var refusal: [UInt8] = []
        /// Whether the body could not be read, or the reply not be taken.
        var hasFailed = false

        init(
            _ handle: OpaquePointer, _ source: @escaping BodySource, _ target: @escaping BodyTarget
        ) {
            self.handle = handle
            self.source = source
            self.target = target
        }

        static func of(_ context: UnsafeMutableRawPointer?) -> Transfer? {
            context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
        }

        func read(into target: UnsafeMutableRawBufferPointer) -> Int {
            if let count = source(target) { return count }
            hasFailed = true
            return Int(CURL_READFUNC_ABORT)
        }

        func take(_ bytes: UnsafeRawBufferPointer) -> Int {
            if (200..<300).contains(shim_curl_status(UnsafeMutableRawPointer(handle))) {
                if target(bytes) { return bytes.count }
                hasFailed = true
                return 0
            }
            if refusal.count + bytes.count <= ServiceClient.refusalByteCountMax { refusal += bytes }
            return bytes.count
        }
    }

    private let url: String
    private let token: String?
    private let timeoutSeconds: Int?

    /// Makes a client of a service.
    ///
    /// - `timeoutSeconds`: How long a request may take; nil for as long as it takes.
    init(url: String, token: String? = nil, timeoutSeconds: Int? = nil) {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.token = token
        self.timeoutSeconds = timeoutSeconds
    }

    /// The service that the options name; nil without one.
    convenience init?(_ arguments: Arguments) throws(CommandFailure) {
        guard let url = arguments.text("url") else { return nil }
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw .usage(
                "--url is the address of a service, such as \(ServiceAddress.example), not '\(url)'"
            )
        }
        guard !url.hasSuffix("/v1"), !url.hasSuffix("/v1/") else {
            throw .usage("--url is the address without /v1, such as \(ServiceAddress.example)")
        }
        self.init(url: url, token: try Self.token(arguments))
    }

    /// The token that the options state, or the first line of the file that they name; nil without one.
    private static func token(_ arguments: Arguments) throws(CommandFailure) -> String? {
        if let token = arguments.text("token") { return token }
        guard let path = arguments.text("token-file") else { return nil }
        let line = try FileSystem.firstLine(path, byteCountMax: tokenFileByteCountMax)
        let token = String(decoding: line, as: UTF8.self)
        guard !token.isEmpty, token.allSatisfy({ $0.isASCII && $0 > " " }) else {
            throw CommandFailure("--token-file: the first line of '\(path)' is not a token")
        }
        return token
    }

    /// The service that the options have to name, because only a service has `what`.
    static func required(
        _ arguments: Arguments, for what: String
    ) throws(CommandFailure) -> ServiceClient {
        if let client = try ServiceClient(arguments) { return client }
        throw .usage("--url is needed: a running service has \(what)")
    }

    private var isOnLoopback: Bool {
        ["://127.", "://localhost", "://[::1]"].contains { url.contains($0) }
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - method: Its method.
    ///   - path: The target, percent-encoded.
    ///   - headers: Whole lines such as `Accept: text/csv`.
    ///   - body: Provides the body; nil without one.
    ///   - target: Takes the body of a reply that is no refusal.
    /// - Returns: The status of the reply, 0 when the body could not be read or the reply not be taken, and the
    ///   body of a refusal.
    /// - Throws: A failure when the service can't be reached or the transfer breaks off.
    func send(
        _ method: String, _ path: String, headers: [String] = [], body: BodySource? = nil,
        reply target: @escaping BodyTarget = { _ in true }
    ) throws(CommandFailure) -> (status: Int, refusal: [UInt8]) {
        guard let curl = curl_easy_init() else { throw CommandFailure("there is no memory") }
        defer { curl_easy_cleanup(curl) }
        let transfer = Transfer(OpaquePointer(curl), body ?? { _ in 0 }, target)
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        // Nothing waits for a "100 Continue".
        for line in headers + ["Expect:"] + (token.map { ["Authorization: Bearer \($0)"] } ?? []) {
            list = curl_slist_append(list, line)
        }
        shim_curl_set_text(curl, CURLOPT_URL, url + path)
        shim_curl_set_text(curl, CURLOPT_PROTOCOLS_STR, "http,https")
        shim_curl_set_text(curl, CURLOPT_CUSTOMREQUEST, method)
        shim_curl_set_number(curl, CURLOPT_NOSIGNAL, 1)
        shim_curl_set_number(curl, CURLOPT_CONNECTTIMEOUT, 10)
        // A proxy of the environment is for the network.
        if isOnLoopback { shim_curl_set_text(curl, CURLOPT_PROXY, "") }
        if let timeoutSeconds { shim_curl_set_number(curl, CURLOPT_TIMEOUT, timeoutSeconds) }
        shim_curl_set_pointer(curl, CURLOPT_HTTPHEADER, list)
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        if body != nil {
            shim_curl_set_number(curl, CURLOPT_UPLOAD, 1)
            shim_curl_set_pointer(curl, CURLOPT_READDATA, context)
            shim_curl_set_body(curl, CURLOPT_READFUNCTION) { bytes, _, count, context in
                Transfer.of(context)?.read(
                    into: UnsafeMutableRawBufferPointer(start: bytes, count: count)) ?? 0
            }
        }
        shim_curl_set_pointer(curl, CURLOPT_WRITEDATA, context)
        shim_curl_set_body(curl, CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
            Transfer.of(context)?.take(UnsafeRawBufferPointer(start: bytes, count: count)) ?? 0
        }
        let code = curl_easy_perform(curl)
        let status = shim_curl_status(curl)
        withExtendedLifetime(transfer) {}
        // A refusal may come before the body has been sent.
        if code == CURLE_OK || status >= 400 && code == CURLE_SEND_ERROR {
            return (status, transfer.refusal)
        }
        if transfer.hasFailed { return (0, []) }
        throw failure(code)
    }

    /// Sends a request, expects that it is not refused, and returns the body of the reply, of 64 MiB at most.
    ///
    /// - Throws: As ``send(_:_:headers:body:reply:)``, and the text of a refusal.
    @discardableResult
    func text(
        _ method: String, _ path: String, headers: [String] = [], body: BodySource? = nil
    ) throws(CommandFailure) -> [UInt8] {
        var text: [UInt8] = []
        let (status, refusal) = try send(
            method, path, headers: headers, body: body,
            reply: { piece in
                text += piece
                return text.count <= 64 << 20
            })
        if status >= 300 || status == 0 { throw Self.refused(status, refusal) }
        return text
    }

    /// The same with a JSON body.
    @discardableResult
    func text(_ method: String, _ path: String, json: [UInt8]) throws(CommandFailure) -> [UInt8] {
        var rest = json[...]
        return try text(
            method, path, headers: ["Content-Type: application/json"],
            body: { target in
                let count = min(rest.count, target.count)
                target.copyBytes(from: rest.prefix(count))
                rest = rest.dropFirst(count)
                return count
            })
    }

    /// Returns the value that `body` finds in a JSON text; nil for other text. The value passed to it is valid during the call.
    static func read<Found>(_ text: [UInt8], _ body: (JSONValue) -> Found?) -> Found? {
        let parser = JSONParser()
        defer { withExtendedLifetime(parser) {} }
        return text.withUnsafeBytes { try? parser.parse($0) }.flatMap(body)
    }

    /// The same of a reply.
    ///
    /// - Throws: A failure that names the missing part, as `what` describes it.
    static func find<Found>(
        _ what: String, in reply: [UInt8], _ body: (JSONValue) -> Found?
    ) throws(CommandFailure) -> Found {
        if let found = read(reply, body) { return found }
        throw CommandFailure("the service does not say \(what)")
    }

    /// The message for a refusal.
    static func refused(_ status: Int, _ body: [UInt8]) -> CommandFailure {
        guard let text = read(body, detail) else {
            return CommandFailure(
                status == 0
                    ? "the transfer was given up"
                    : "the reply (\(status)) is not one of Holdfast; check the URL")
        }
        return CommandFailure(
            "the service refuses it (\(status)):\(text)"
                + (status == 401
                    ? " (--token, --token-file, HOLDFAST_TOKEN or HOLDFAST_TOKEN_FILE)" : ""))
    }

    /// The detail of a problem document, with a blank or the end of a line before it; nil for another document.
    private static func detail(_ problem: JSONValue) -> String? {
        guard let detail = problem.member(named: "detail")?.string else { return nil }
        func told(_ text: String, _ hint: JSONValue?) -> String {
            text.contains("did you mean")
                ? text : text + (hint?.string.map { " Did you mean '\($0)'?" } ?? "")
        }
        let faults = problem.member(named: "errors").map { Array($0.elements) } ?? []
        return faults.count > 1
            ? faults.map { fault in
                let place = fault.member(named: "pointer")?.string.map { $0 + ": " } ?? ""
                return "\n  " + place
                    + told(fault.member(named: "detail")?.string ?? "", fault.member(named: "hint"))
            }.joined() : " " + told(detail, faults.first?.member(named: "hint"))
    }

    private func failure(_ code: CURLcode) -> CommandFailure {
        switch code {
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST:
            CommandFailure("nothing answers at \(url)")
        case CURLE_OPERATION_TIMEDOUT: CommandFailure("\(url) does not answer in time")
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_GOT_NOTHING:
            CommandFailure(
                "\(url) closed the connection before the reply was whole; its log says why")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2:
            CommandFailure("the service at \(url) does not speak HTTP")
        default: CommandFailure("\(url): \(String(cString: curl_easy_strerror(code)))")
        }
    }
}

extension ServiceClient {
    /// Makes a backup of the service's store, copied into a file; the file appears when it is whole. Only its owner may read
    /// it, because it has all objects, and the hashes of tokens and passwords.
    func backUp(_ path: String) throws(CommandFailure) -> ExitCode {
        let reply = try text("POST", "/v1/backups")
        func told(_ name: StaticString) throws(CommandFailure) -> String {
            try Self.find("which backup it has made", in: reply) { $0.member(named: name)?.string }
        }
        let name = try told("name")
        let version = try told("version")
        let target = "/v1/backups/\(ObjectPath.segment(name))"
        let partial = path + ".part"
        // An interrupted copy may have left one with other permissions.
        unlink(partial)
        let file = try OutputFile(partial, mode: 0o600)
        do throws(CommandFailure) {
            let (status, refusal) = try send(
                "GET", target,
                reply: { piece in
                    guard file.write(piece) else { return false }
                    Terminal.progress("backup: \(file.byteCount >> 20) MiB written")
                    return true
                })
            if status == 0 { throw file.unwritable }
            if status >= 300 { throw Self.refused(status, refusal) }
            try file.finish()
        } catch {
            unlink(partial)
            throw CommandFailure("\(error.message); the backup stays on the service as '\(name)'")
        }
        guard rename(partial, path) == 0 else { throw file.unwritable }
        try text("DELETE", target)
        Terminal.write("\(path): version \(version), \(file.byteCount) bytes\n")
        return .success
    }
}

// The tokens of a running service.
extension ServiceClient {
    /// Carries out a command. Returns the text to print: for a new token its secret, which the service only returns once.
    func run(_ command: TokenCommand) throws(CommandFailure) -> String {
        switch command {
        case .list: return try listTokens()
        case .create(let members, _):
            return try Self.find(
                "which token it has made", in: text("POST", "/v1/tokens", json: members.json)
            ) { $0.member(named: "token")?.string }
        case .change(let name, let members):
            try text("PATCH", tokenTarget(name), json: members.json)
        case .revoke(let name): try text("DELETE", tokenTarget(name))
        }
        return ""
    }

    /// The tokens, a line each: name, right, time of creation and, where it has them, user, classes and end.
    private func listTokens() throws(CommandFailure) -> String {
        try Self.find("which tokens it has", in: text("GET", "/v1/tokens")) {
            $0.member(named: "tokens").map { tokens in
                tokens.elements.map { token in
                    func text(_ name: StaticString) -> String? { token.member(named: name)?.string }
                    return Token.line(
                        text("name") ?? "", right: text("right") ?? "",
                        created: text("created") ?? "", user: text("user"),
                        classes: token.member(named: "classes")?.elements.compactMap(\.string)
                            ?? [], expires: text("expires"))
                }.joined()
            }
        }
    }

    private func tokenTarget(_ name: String) -> String { "/v1/tokens/\(ObjectPath.segment(name))" }
}
