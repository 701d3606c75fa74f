import Glibc
import StoreService
import Testing
import TestSupport

@testable import RESTAPI

@Suite("Limits of an export")
struct ExportLimitTests {
    private static func limits() -> ServiceLimits {
        var limits = ServiceLimits()
        limits.exportAgeSecondsMax = 600
        limits.exportGrowthByteCountMax = 1000
        limits.exportByteRateMin = 10
        return limits
    }

    @Test("let it go on at the limit, and not above")
    func bounds() {
        func limit() -> ExportLimit {
            let limit = ExportLimit(Self.limits(), at: 100, storedByteCount: 5000)
            limit.count(1 << 20)
            return limit
        }
        #expect(limit().passed(at: 101, storedByteCount: 6000) == nil)
        #expect(limit().passed(at: 101, storedByteCount: 6001) == .growth)
        #expect(limit().passed(at: 700, storedByteCount: 5000) == nil)
        #expect(limit().passed(at: 701, storedByteCount: 5000) == .age)
        let told = limit()
        #expect(told.passed(at: 701, storedByteCount: 0) == .age)
        #expect(told.passed(at: 702, storedByteCount: 0) == nil, "it is told once")
    }

    @Test("ask for a rate over a minute")
    func rate() {
        let limit = ExportLimit(Self.limits(), at: 100, storedByteCount: 0)
        limit.count(600)
        #expect(limit.passed(at: 160, storedByteCount: 0) == nil)
        limit.count(599)
        #expect(limit.passed(at: 219, storedByteCount: 0) == nil)
        #expect(limit.passed(at: 220, storedByteCount: 0) == .rate)
    }

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
        #expect(server.service.exports.count == 1)
        for _ in 0..<300 where server.service.exports.count > 0 {
            write()
            usleep(100_000)
        }
        #expect(server.service.exports.count == 0)
        var end: [UInt8] = []
        while true {
            let count = recv(socket, &piece, piece.count, 0)
            if count <= 0 { break }
            end = Array((end + piece[..<count]).suffix(5))
        }
        #expect(end != Array("0\r\n\r\n".utf8), "the last chunk would say that it is whole")
    }
}
