import Glibc
import HoldfastHTTPServer
import HoldfastIdentity
import HoldfastTestSupport
import Synchronization
import Testing

@testable import HoldfastCommand

/// The place of an issuer's keys, as `--jwt-keys` names it.
@Suite("The place of signing keys")
struct KeyDocumentTests {
    /// Where an address leads, which changes.
    private final class Target: Sendable {
        let text = Mutex("")
    }

    /// What the reading of a place says when it fails; the document otherwise.
    private static func read(_ place: String) -> String {
        do throws(SigningKeyFailure) {
            return String(decoding: try KeyDocument(place).read(), as: UTF8.self)
        } catch {
            return "failed: \(error)"
        }
    }

    private static func withPlace(
        _ answer: @escaping @Sendable (Request) -> Response, _ body: (String) throws -> Void
    ) throws {
        let options = ServerOptions(listen: ListenAddress(host: "127.0.0.1", port: 0))
        let route = Route(.get, "/keys", "keys") { .respond(answer($0)) }
        let more = Route(.get, "/more", "more") { _ in .respond(Response(200, .json, Bytes("more")))
        }
        let server = try Server(options: options, routes: [route, more])
        defer { server.stop(graceSeconds: 0) }
        try body("http://127.0.0.1:\(try #require(server.addresses.first).port)/keys")
    }

    @Test("is a file, or an address over HTTPS, or over HTTP on this machine")
    func places() throws {
        for place in [
            "http://id.example/keys", "http://127.0.0.1.evil.example/keys", "ftp://localhost/keys",
            "file:///etc/passwd", "http://10.0.0.1/keys", "https://",
            "http://localhost@id.example/",
        ] {
            #expect(throws: SigningKeyFailure.self, "\(place)") { try KeyDocument(place) }
        }
        for place in [
            "https://id.example/keys", "http://localhost:1/keys", "http://127.9.9.9/keys",
            "http://[::1]:80/keys",
        ] {
            #expect(try !KeyDocument(place).isFile)
        }
        #expect(try KeyDocument("keys.json").isFile)
    }

    @Test("a file is read, and what is wrong with it is said")
    func files() {
        let directory = TemporaryDirectory()
        let path = directory.path + "/keys.json"
        #expect(Self.read(path).contains("can't be opened"))
        TemporaryDirectory.write(Array("{}".utf8), to: path)
        #expect(Self.read(path) == "{}")
        TemporaryDirectory.write([UInt8](repeating: 32, count: 1 << 20 + 1), to: path)
        #expect(Self.read(path).contains("too large"))
    }

    @Test("an address answers with the document, of at most 1 MiB")
    func address() throws {
        try Self.withPlace({ _ in Response(200, .json, Bytes("{}")) }) {
            #expect(Self.read($0) == "{}")
        }
        try Self.withPlace({ _ in
            Response(200, .json, Bytes(String(repeating: " ", count: 1 << 20 + 1)))
        }) { #expect(Self.read($0).contains("too large")) }
        try Self.withPlace({ _ in Response(404) }) {
            #expect(Self.read($0).contains("answers 404"))
        }
        #expect(Self.read("http://127.0.0.1:1/keys").hasPrefix("failed: http://127.0.0.1:1/keys"))
    }

    @Test("a redirection is followed to the same host alone, and not for ever")
    func redirections() throws {
        let elsewhere = Target()
        try Self.withPlace({ _ in
            Response(302).with(.location, elsewhere.text.withLock { $0 })
        }) { place in
            for (target, reply) in [
                ("/more", "more"), (place.replacing("/keys", with: "/more"), "more"),
                ("/keys", "redirects too often"), ("https://id.example/keys", "another host"),
                (place.replacing("127.0.0.1", with: "127.0.0.2"), "another host"),
                ("http://id.example/keys", "use https"), ("file:///etc/passwd", "not a URL"),
            ] {
                elsewhere.text.withLock { $0 = target }
                let read = Self.read(place)
                #expect(read.contains(reply), "\(target): \(read)")
            }
        }
    }

    @Test("an address that leads on slowly is given up after five seconds")
    func slowRedirections() throws {
        let elsewhere = Target()
        try Self.withPlace({ _ in
            usleep(2_500_000)
            return Response(302).with(.location, elsewhere.text.withLock { $0 })
        }) { place in
            elsewhere.text.withLock { $0 = place }
            #expect(Self.read(place).contains("imeout"))
        }
    }

    @Test("an address that is silent is given up after five seconds")
    func silence() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(listener, $0, size)
                _ = listen(listener, 1)
                _ = getsockname(listener, $0, &size)
            }
        }
        let begin = time(nil)
        let read = Self.read("http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/keys")
        #expect(read.hasPrefix("failed"))
        #expect((4...8).contains(time(nil) - begin), "\(read)")
    }
}
