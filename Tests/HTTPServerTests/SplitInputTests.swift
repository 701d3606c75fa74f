import Testing

import struct TestSupport.SeededGenerator

@testable import HTTPServer

/// Random requests, well-formed and not, that come in pieces: they must mean what they mean when they come whole.
@Suite struct SplitInputTests {
    @Test("a head means the same wherever it is cut")
    func heads() {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("heads"))
        var completeCount = 0
        for round in 0..<SeededGenerator.scaled(3000) {
            let bytes = Self.damaged(Self.head(&random), &random)
            let whole = Self.outcome(bytes, cuts: [])
            if whole.hasPrefix("complete") { completeCount += 1 }
            var cuts = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                Int.random(in: 0...bytes.count, using: &random)
            }
            cuts.sort()
            #expect(Self.outcome(bytes, cuts: cuts) == whole, "round \(round): \(bytes)")
            #expect(
                Self.outcome(bytes, cuts: Array(0...bytes.count)) == whole,
                "round \(round): \(bytes)")
        }
        #expect(completeCount > 500)
    }

    @Test("a body in chunks means the same wherever it is cut, and is what was framed")
    func chunks() {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("chunks"))
        for round in 0..<SeededGenerator.scaled(3000) {
            let body = pattern(Int.random(in: 0...200, using: &random))
            let framed = Self.framed(body, &random)
            let isDamaged = Bool.random(using: &random)
            let bytes = isDamaged ? Self.damaged(framed, &random) : framed
            let whole = Self.decoded(bytes, cuts: [])
            if !isDamaged { #expect(whole == .init(bytes: body, isOver: true), "round \(round)") }
            var cuts = (0..<4).map { _ in Int.random(in: 0...bytes.count, using: &random) }
            cuts.sort()
            #expect(Self.decoded(bytes, cuts: cuts) == whole, "round \(round): \(bytes)")
            #expect(
                Self.decoded(bytes, cuts: Array(0...bytes.count)) == whole,
                "round \(round): \(bytes)")
        }
    }

    // MARK: Heads

    private static func head(_ random: inout SeededGenerator) -> [UInt8] {
        func one(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
        var text = one(["", "", "", "\r\n"])
        text += one(["GET", "PUT", "M-SEARCH", "get"]) + " "
        text += one(["/", "/a/b?c=d", "*", "http://x/y", "/%20", "/ü", "/a#b"]) + " "
        text += one(["HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/1.9", "HTTP/2.0"]) + "\r\n"
        if Int.random(in: 0..<8, using: &random) > 0 { text += "Host: x\r\n" }
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            text += one(["A", "a-b", "CONTENT-length", "Connection", "Expect", "Content-Type", "é"])
            text += ":" + one(["", " ", "\t "])
            text += one(["", "5", "close", "keep-alive, x", "100-continue", "a  b", "ü"])
            text += one(["", "", " "]) + "\r\n"
        }
        return Array((text + "\r\n" + one(["", "", "rest", "GET / HTTP/1.1\r\n\r\n"])).utf8)
    }

    /// Sometimes with a byte that is another, missing or one more.
    private static func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        guard !bytes.isEmpty, Int.random(in: 0..<3, using: &random) == 0 else { return bytes }
        let index = bytes.indices.randomElement(using: &random) ?? 0
        let byte: UInt8 =
            [0, 9, 10, 13, 32, 58, 59, 48, 127, 200].randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = byte
        case 1: bytes.remove(at: index)
        default: bytes.insert(byte, at: index)
        }
        return bytes
    }

    /// All that a reader says of a head that comes in pieces, in memory that moves with each.
    private static func outcome(_ bytes: [UInt8], cuts: [Int]) -> String {
        var head = RequestHead()
        for end in cuts + [bytes.count] {
            let text = Array(bytes[0..<end]).withUnsafeBufferPointer { piece -> String? in
                switch head.read(piece) {
                case .incomplete: return nil
                case .broken(let fault): return "broken: \(fault)"
                case .complete(let byteCount):
                    let fields = [HeaderName.host, .connection, .contentType, .expect].map { name in
                        var values: [String] = []
                        head.forEach(name) { values.append($0.string) }
                        return values.description
                    }
                    return "complete: \(byteCount) \(Array(head.method)) \(Array(head.target)) "
                        + "\(fields) \(head.isHTTP11) \(head.isChunked) \(head.bodyByteCount) "
                        + "\(head.keepsConnection) \(head.expectsContinue)"
                }
            }
            if let text { return text }
        }
        return "incomplete"
    }

    // MARK: Chunks

    private struct Decoded: Equatable {
        var bytes: [UInt8] = []
        var isOver = false
        var isBroken = false
    }

    private static func framed(_ body: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var text: [UInt8] = []
        var start = 0
        func end(_ size: String) {
            let extra = ["", ";a", "; a=\"b\"", " ", "\t;c"].randomElement(using: &random) ?? ""
            text += Array((size + extra + "\r\n").utf8)
        }
        while start < body.count {
            let count = min(body.count - start, Int.random(in: 1...60, using: &random))
            let size = String(count, radix: 16, uppercase: Bool.random(using: &random))
            end(String(repeating: "0", count: Int.random(in: 0...3, using: &random)) + size)
            text += body[start..<start + count] + [13, 10]
            start += count
        }
        end("0")
        if Bool.random(using: &random) { text += Array("Trailer: value\r\nOther:\r\n".utf8) }
        return text + [13, 10] + Array("GET / HTTP/1.1\r\n".utf8)
    }

    private static func decoded(_ bytes: [UInt8], cuts: [Int]) -> Decoded {
        var reader = ChunkReader()
        var decoded = Decoded()
        var start = 0
        for end in cuts + [bytes.count] {
            let piece = Array(bytes[start..<end])
            start = end
            piece.withUnsafeBytes { raw in
                do throws(ChunkReader.Fault) {
                    try reader.read(raw) {
                        decoded.bytes += Array($0)
                        return true
                    }
                } catch { decoded.isBroken = true }
            }
            if decoded.isBroken { return decoded }
        }
        decoded.isOver = reader.isOver
        return decoded
    }
}
