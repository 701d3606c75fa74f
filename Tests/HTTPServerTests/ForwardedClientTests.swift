import Testing

@testable import HoldfastHTTPServer

/// Whom a request that comes through a proxy is from.
@Suite("A client behind a proxy")
struct ForwardedClientTests {
    /// Whom a service takes for the client that sends these fields from 127.0.0.1.
    private static func client(trusting ranges: [String], _ fields: [String]) throws -> String {
        let trusted = ranges.compactMap { AddressRange($0) }
        #expect(trusted.count == ranges.count)
        var found = ""
        let route = Route(.get, "/client", "client") { request in
            .respond(Response(200, .text, Bytes(request.client)))
        }
        try withServer([route], { $0.trustedProxies = trusted }) { _, port in
            let client = try RawClient(port: port)
            let lines = fields.map { "X-Forwarded-For: \($0)\r\n" }.joined()
            client.send("GET /client HTTP/1.1\r\nHost: x\r\n\(lines)\r\n")
            found = try client.reply().text
        }
        return found
    }

    @Test("is who the connection is from where no proxy is trusted, or another one")
    func untrusted() throws {
        for ranges in [[], ["10.0.0.0/8"], ["::1"], ["127.0.0.2/32"]] {
            let client = try Self.client(trusting: ranges, ["192.0.2.1"])
            #expect(client.hasPrefix("127.0.0.1:"), "\(ranges)")
        }
    }

    @Test(
        "is the last address that the trusted proxies did not add, and what stands before may be forged",
        arguments: [
            (["192.0.2.1"], "192.0.2.1"), (["192.0.2.1:4711"], "192.0.2.1"),
            (["198.51.100.7, 192.0.2.1"], "192.0.2.1"),
            (["198.51.100.7", "192.0.2.1"], "192.0.2.1"),
            (["192.0.2.1, 10.1.2.3 ,\t10.9.9.9"], "192.0.2.1"),
            (["2001:db8::1"], "[2001:db8::1]"), (["[2001:db8::1]:80"], "[2001:db8::1]"),
            (["2001:DB8:0::1, ::ffff:10.0.0.1"], "[2001:db8::1]"),
            (["unknown, 192.0.2.1"], "192.0.2.1"), (["10.0.0.5"], "10.0.0.5"),
            (["nonsense, 10.0.0.5"], "10.0.0.5"),
        ])
    func trusted(fields: [String], expected: String) throws {
        #expect(try Self.client(trusting: ["127.0.0.1", "10.0.0.0/8"], fields) == expected)
    }

    @Test("is who the connection is from where the proxy says nothing that can be read")
    func silent() throws {
        for fields in [[], [""], ["unknown"], ["192.0.2.1, nonsense"], ["192.0.2.999"]] {
            let client = try Self.client(trusting: ["127.0.0.0/8"], fields)
            #expect(client.hasPrefix("127.0.0.1:"), "\(fields)")
        }
    }

    @Test(
        "a range has the addresses that begin alike",
        arguments: [
            ("10.0.0.0/8", "10.255.1.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.2", false),
            ("10.0.0.128/25", "10.0.0.127", false), ("0.0.0.0/0", "203.0.113.9", true),
            ("0.0.0.0/0", "::1", false), ("::/0", "203.0.113.9", true), ("::1", "::1", true),
            ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::1", false),
        ])
    func ranges(range: String, address: String, isIn: Bool) throws {
        let range = try #require(AddressRange(range))
        #expect(range.contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(
        "what is no range is none",
        arguments: [
            "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0/8", "::/129", "host",
            "[::1]", "10.0.0.0/8/8",
        ])
    func noRange(text: String) { #expect(AddressRange(text) == nil) }
}
