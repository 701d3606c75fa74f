@testable import HoldfastTransfer
import HoldfastObjectJSON
import Testing

@testable import HoldfastStoreService

@Suite("Rate of an import")
struct ImportRateTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("one that drips ends after a minute of waiting, and not before")
    func drip() throws {
        var rate = ImportRate(byteRateMin: 10, over: 60)
        for _ in 0..<29 { try rate.add(waitedNanoseconds: 2 * Self.second, byteCount: 1) }
        #expect(throws: RequestFault.self) {
            try rate.add(waitedNanoseconds: 2 * Self.second, byteCount: 1)
        }
    }

    @Test("one at the least rate goes on, and one below ends")
    func bounds() throws {
        var rate = ImportRate(byteRateMin: 10, over: 60)
        for _ in 0..<3 { try rate.add(waitedNanoseconds: 60 * Self.second, byteCount: 600) }
        #expect(throws: RequestFault.self) {
            try rate.add(waitedNanoseconds: 60 * Self.second, byteCount: 599)
        }
    }

    @Test("time in which the import does not wait for its sender does not count")
    func busy() throws {
        var rate = ImportRate(byteRateMin: 10, over: 60)
        try rate.add(waitedNanoseconds: 0, byteCount: 600)
        for _ in 0..<100 { try rate.add(waitedNanoseconds: 0, byteCount: 0) }
        try rate.add(waitedNanoseconds: 60 * Self.second, byteCount: 0)
    }

    @Test("no least rate lets any go on")
    func none() throws {
        var rate = ImportRate(byteRateMin: 0, over: 60)
        try rate.add(waitedNanoseconds: 600 * Self.second, byteCount: 0)
    }
}
