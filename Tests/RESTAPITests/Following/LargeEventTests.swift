import Glibc
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("Events that are larger than a queue")
struct LargeEventTests {
    @Test("are held for no more streams than there is memory for", .timeLimit(.minutes(2)))
    func bound() throws {
        let server = try TestServer(.memory, schema: Tasks.schema)
        let port = try #require(server.server.addresses.first?.port)
        let title = String(repeating: "t", count: 12 << 20)
        let path = "/v1/classes/Task/objects/1"
        #expect(server.send("PUT", path, #"{"title":"\#(title)"}"#).status == 201)
        let sockets = (1...6).map { number in
            let socket = LoopbackSocket.connect(port: port, receiveByteCountMax: 4096)
            let text =
                "GET /v1/classes/Task/changes?filter=rank%20%3E%20-\(number) HTTP/1.1\r\n"
                + "Host: localhost\r\nAccept: text/event-stream\r\n\r\n"
            _ = Array(text.utf8).withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            #expect(Self.read(socket) { $0.contains("event: hello") })
            return socket
        }
        defer { for socket in sockets { close(socket) } }
        #expect(server.send("PATCH", path, #"{"rank":1}"#).status == 200)
        // Three of them are told of it, which is more than 32 MiB; nobody has read yet.
        while server.server.metrics.streams.load(ordering: .relaxed) > 3 { usleep(1000) }
        var endings: [String] = []
        for socket in sockets {
            #expect(
                Self.read(socket) { text in
                    guard text.contains("\n\n") else { return false }
                    endings.append(text.contains(#""code":"busy""#) ? "busy" : "told")
                    return true
                })
        }
        #expect(endings == ["told", "told", "told", "busy", "busy", "busy"])
    }

    /// Reads until `isDone` accepts the end of what came.
    private static func read(_ socket: Int32, _ isDone: (String) -> Bool) -> Bool {
        var piece = [UInt8](repeating: 0, count: 1 << 20)
        var end: [UInt8] = []
        while case let count = recv(socket, &piece, piece.count, 0), count > 0 {
            end = Array((end + piece[..<count]).suffix(4096))
            if isDone(String(decoding: end, as: UTF8.self)) { return true }
        }
        return false
    }
}
