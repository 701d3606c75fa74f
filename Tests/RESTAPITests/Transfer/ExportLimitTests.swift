import Glibc
import Testing
import HoldfastTestSupport

@testable import HoldfastRESTAPI

@Suite("Limits of an export over HTTP")
struct ExportLimitTests {
    @Test("cut an export behind which the data grows, so that its client sees that it is not whole")
    func growth() throws {
        var options = RESTOptions()
        options.limits.exportGrowthByteCountMax = 1
        let server = try TestServer(.lmdb, schema: Importing.nodes, options: options)
        let label = String(repeating: "x", count: 200_000)
        func write() {
            let objects = (0..<10).map { "{\"label\":\"\($0)\(label)\"}" }.joined(separator: ",")
            let reply = server.send("POST", "/v1/classes/Loose/objects", "[\(objects)]")
            #expect(reply.status == 201, "\(reply.text)")
        }
        for _ in 0..<10 { write() }
        let port = try #require(server.server.addresses.first?.port)
        let socket = LoopbackSocket.connect(port: port, receiveByteCountMax: 4096)
        defer { close(socket) }
        let text = Array("GET /v1/export HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        #expect(send(socket, text, text.count, Int32(MSG_NOSIGNAL)) == text.count)
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        #expect(recv(socket, &piece, 9, Int32(MSG_WAITALL)) == 9)
        #expect(server.service.transfers.exportCount == 1)
        for _ in 0..<300 where server.service.transfers.exportCount > 0 {
            write()
            usleep(100_000)
        }
        #expect(server.service.transfers.exportCount == 0)
        var end: [UInt8] = []
        while true {
            let count = recv(socket, &piece, piece.count, 0)
            if count <= 0 { break }
            end = Array((end + piece[..<count]).suffix(5))
        }
        #expect(end != Array("0\r\n\r\n".utf8), "the last chunk would say that it is whole")
        // It is counted just after its end.
        func counts() -> [Int]? {
            server.server.metrics.operations().first { $0.operationID == "exportStore" }?
                .countByStatusClass
        }
        for _ in 0..<3_000 where counts() == nil { usleep(10_000) }
        #expect(counts() == [1, 0, 0, 0, 0, 0])
    }
}
