import HoldfastPlainQuery
import HoldfastServiceSupport
import HoldfastTestSupport

/// A random request, of what is there, of what a user does not see, and of what nobody has.
struct RuleRequest: CustomStringConvertible {
    var method = "GET"
    var target: String
    var parameters: [(name: String, value: String)] = []
    var headers: [(String, String)] = []
    /// What is sent in a body.
    var body: String?
    /// Whether it goes on with the cursor of each page, in the URL or in the body.
    var hasPages = false
    /// The parameter that takes that cursor.
    var pageParameter = "cursor"
    /// The queries of a stream that it makes, which is followed then; nil for another request.
    var followed: [String]?
    /// Whether the stream is followed with a ticket.
    var hasTicket = false
    /// Whether it may ask for a snapshot.
    var takesSnapshot = true

    var description: String { "\(method) \(address()) \(body ?? "") \(headers)" }

    init(_ target: String, takesSnapshot: Bool = true) {
        self.target = target
        self.takesSnapshot = takesSnapshot
    }

    /// A request that writes.
    init(
        _ target: String, _ method: String, _ body: QueryJSON? = nil,
        type: String = "application/json"
    ) {
        self.target = target
        self.method = method
        self.body = body?.text
        if body != nil { headers.append(("Content-Type", type)) }
    }

    /// Makes a request.
    static func make(_ twins: inout RuleModels, _ random: inout SeededGenerator) -> RuleRequest {
        var maker = RuleRequestMaker(twins: twins, random: random)
        let request = maker.make()
        (twins, random) = (maker.twins, maker.random)
        return request
    }

    /// The same of a list, as a query in a body.
    func inBody(_ path: String) -> RuleRequest {
        var posted = RuleRequest(path + "/query")
        posted.method = "POST"
        posted.hasPages = true
        posted.body = "{" + members.joined(separator: ",") + "}"
        return posted
    }

    /// The parameters as the members of a body.
    var members: [String] {
        var members: [String] = []
        var arguments: [String] = []
        for (name, value) in parameters {
            switch name {
            case "arg": arguments.append(value)
            case "limit": members.append("\"limit\":\(value)")
            default: members.append("\(quoted(name)):\(quoted(value))")
            }
        }
        if !arguments.isEmpty { members.append("\"args\":[\(arguments.joined(separator: ","))]") }
        return members
    }

    /// Sends it, and goes on with the pages that follow.
    ///
    /// - `snapshot`: What is read; nil for the newest version.
    func replies(
        _ server: RuledServer, as asker: RuledServer.Key, of snapshot: String?
    ) -> [HTTPClient.Reply] {
        if let followed { return streamReplies(followed, server, as: asker) }
        var replies: [HTTPClient.Reply] = []
        var request = self
        if let snapshot { request.parameters.append(("snapshot", snapshot)) }
        while replies.count < 60 {
            let reply = server.send(
                method, request.address(), request.body, as: asker, headers: headers)
            replies.append(reply)
            guard hasPages, reply.status == 200, let next = QueryJSON(reply.text)?["next"]?.string
            else { break }
            if let body {
                request.body = body.dropLast() + ",\"cursor\":\(quoted(next))}"
            } else {
                request.parameters.removeAll { $0.name == pageParameter }
                request.parameters.append((pageParameter, next))
            }
        }
        return replies
    }

    /// The target with its parameters.
    private func address() -> String {
        let query = parameters.map { "\($0.name)=\(Self.escaped($0.value))" }
            .joined(separator: "&")
        return query.isEmpty ? target : target + (target.contains("?") ? "&" : "?") + query
    }

    /// A text as a part of a URL.
    static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            default: "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }.joined()
    }
}
