import Testing
import HoldfastTestSupport

/// A request and what its reply has to be: a row of a table of tests.
struct APIScenario: Sendable, CustomTestStringConvertible {
    var method: String
    var target: String
    var body: String?
    var headers: [(String, String)]
    var status: Int
    /// Texts that the body holds.
    var contains: [String]
    /// Texts that the body does not hold; those that tell of the inside never stand in one.
    var excludes: [String]
    /// Fields that the reply has, by name in lower case; an empty value asks for any.
    var fields: [String: String]

    init(
        _ method: String, _ target: String, _ body: String? = nil,
        headers: [(String, String)] = [], status: Int, contains: [String] = [],
        excludes: [String] = [], fields: [String: String] = [:]
    ) {
        self.method = method
        self.target = target
        self.body = body
        self.headers = headers
        self.status = status
        self.contains = contains
        self.excludes = excludes
        self.fields = fields
    }

    var testDescription: String {
        "\(method) \(target)" + (body.map { " " + String($0.prefix(80)) } ?? "") + " is \(status)"
    }

    /// What no reply may show.
    static let inside = ["MDB_", "StorageError", "StoreError", "/tmp/", ".swift"]

    /// Sends the request and compares.
    @discardableResult
    func check(on server: TestServer, _ location: SourceLocation = #_sourceLocation)
        -> HTTPClient.Reply
    {
        let reply = server.send(method, target, body, headers: headers)
        #expect(
            reply.status == status, "\(testDescription): \(reply.text)", sourceLocation: location)
        for text in contains {
            #expect(reply.text.contains(text), "\(testDescription)", sourceLocation: location)
        }
        for text in excludes + Self.inside {
            #expect(!reply.text.contains(text), "\(testDescription)", sourceLocation: location)
        }
        for (name, value) in fields {
            let found = reply.headers[name]
            #expect(found != nil, "\(testDescription): no \(name)", sourceLocation: location)
            if !value.isEmpty {
                #expect(found == value, "\(testDescription)", sourceLocation: location)
            }
        }
        if reply.status >= 400, method != "HEAD" {
            #expect(
                reply.headers["content-type"] == "application/problem+json",
                "\(testDescription)", sourceLocation: location)
            #expect(
                reply.text.contains("\"code\":\""), "\(testDescription)", sourceLocation: location)
        }
        return reply
    }
}
