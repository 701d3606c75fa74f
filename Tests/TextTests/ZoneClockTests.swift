import Testing

@testable import HoldfastText

@Suite("Clocks of zones")
struct ZoneClockTests {
    @Test("change at the second at which the zone does, whatever was asked before")
    func changes() throws {
        let paris = try #require(ZoneClock("Europe/Paris"))
        // 2026-03-29 and 2026-10-25, at one o'clock UTC.
        for (change, before, behind) in [
            (Int64(1_774_746_000), Int64(3600), Int64(7200)), (1_792_890_000, 7200, 3600),
        ] {
            for _ in 0..<2 {
                #expect(paris.offset(at: change - 1) == before)
                #expect(paris.offset(at: change) == behind)
                #expect(paris.offset(at: change - 30 * 86_400) == before)
                #expect(paris.offset(at: change + 30 * 86_400) == behind)
            }
        }
    }

    @Test(
        "tell a time's offset as a new one does",
        arguments: ["Europe/Paris", "Africa/Casablanca", "Australia/Lord_Howe", "UTC"])
    func memory(name: String) throws {
        let clock = try #require(ZoneClock(name))
        var time: Int64 = -3_000_000_000
        while time < 6_000_000_000 {
            // Far away, where units share a place.
            _ = clock.offset(at: time &+ 1 << 32)
            let fresh = try #require(ZoneClock(name))
            #expect(clock.offset(at: time) == fresh.offset(at: time), "\(time)")
            time += 1_234_567
        }
        #expect(clock.offset(at: .max) == clock.offset(at: 1 << 41))
    }
}
