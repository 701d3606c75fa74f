@testable import HoldfastTransfer
import Testing

@testable import HoldfastStoreService

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
}
