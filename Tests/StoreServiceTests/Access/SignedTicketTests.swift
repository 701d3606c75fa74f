@testable import HoldfastStreams
import Testing

@testable import HoldfastStoreService

@Suite("Signed tickets and their openings")
struct SignedTicketTests {
    private static let key = [UInt8](repeating: 7, count: 32)
    private static let url = Array("/v1/changes".utf8)
    private static let client = ClientKey(token: 1)

    private static func read(
        _ text: String, _ url: [UInt8] = url, _ key: [UInt8] = key
    ) -> SignedTicket? {
        Array(text.utf8).withUnsafeBytes { SignedTicket($0, for: url, key: key) }
    }

    @Test("a ticket is read under its key and for its URL alone, and with no character changed")
    func signature() throws {
        let ticket = SignedTicket(owner: 12, milliseconds: 1_800_000_000_123)
        let text = try #require(ticket.text(for: Self.url, key: Self.key))
        #expect(text.utf8.count == SignedTicket.textByteCount)
        #expect(Self.read(text) == ticket)
        #expect(Self.read(text, Array("/v1/change".utf8)) == nil)
        #expect(Self.read(text, Self.url, [UInt8](repeating: 8, count: 32)) == nil)
        for end in 0..<text.utf8.count { #expect(Self.read(String(text.prefix(end))) == nil) }
        for position in text.indices {
            for digit in "A9_" where text[position] != digit {
                var changed = text
                changed.replaceSubrange(position...position, with: String(digit))
                #expect(Self.read(changed) == nil)
            }
        }
        #expect(SignedTicket(owner: 12, milliseconds: 1_800_000_000_123) != ticket)
    }

    private static func openings(
        again: Int = 60, clientCountMax: Int = 10, countMax: Int = 10
    ) -> TicketOpenings {
        var limits = ServiceLimits()
        (limits.ticketSeconds, limits.ticketReturnSeconds) = (30, again)
        limits.ticketRestartSeconds = 1_000
        (limits.tokenTicketCountMax, limits.ticketCountMax) = (clientCountMax, countMax)
        return TicketOpenings(limits, startedAt: at(0))
    }

    /// So many milliseconds after the start.
    private static func at(_ time: Int64) -> TicketOpenings.Moment {
        TicketOpenings.Moment(wall: 5_000_000 + time, monotonic: UInt64(200_000 + time))
    }

    private static func ticket(_ time: Int64) -> SignedTicket {
        SignedTicket(owner: 1, milliseconds: 5_000_000 + time)
    }

    @Test(
        "a ticket opens its stream once while it is fresh, and again for a while after each break")
    func uses() {
        var openings = Self.openings()
        let ticket = Self.ticket(1000)
        #expect(openings.verdict(on: ticket, at: Self.at(31_000)) == .isOver)
        #expect(openings.open(ticket, for: Self.client, at: Self.at(30_999)) == .opens)
        #expect(openings.open(ticket, for: Self.client, at: Self.at(31_000)) == .isOpen)
        for time: Int64 in [500_000, 900_000] {
            openings.streamEnded(ticket, at: Self.at(time))
            #expect(openings.verdict(on: ticket, at: Self.at(time + 60_000)) == .isOver)
            #expect(openings.open(ticket, for: Self.client, at: Self.at(time + 59_999)) == .opens)
        }
    }

    @Test(
        "a ticket that was made before the start is taken for as long as after a break, unless it is very old"
    )
    func restart() {
        let openings = Self.openings()
        for (made, time, verdict) in [
            (-900_000, 59_999, .opens), (-900_000, 60_000, .isOver), (-1_000_000, 10, .isOver),
            (-999_999, 10, .opens), (-1, 40_000, .opens), (0, 40_000, .isOver),
            // The clock was set back by an hour.
            (3_600_000, 10, .isOver),
        ] as [(Int64, Int64, TicketOpenings.Verdict)] {
            #expect(
                openings.verdict(on: Self.ticket(made), at: Self.at(time)) == verdict,
                "\(made) \(time)")
        }
    }

    @Test("a ticket that is over does not become fresh again when others need its room")
    func room() {
        var openings = Self.openings(again: 0, clientCountMax: 2, countMax: 3)
        let other = ClientKey(token: 2)
        let tickets = (0..<5).map { _ in Self.ticket(1000) }
        #expect(openings.open(tickets[0], for: Self.client, at: Self.at(2000)) == .opens)
        #expect(openings.open(tickets[1], for: Self.client, at: Self.at(2000)) == .opens)
        #expect(openings.open(tickets[2], for: Self.client, at: Self.at(2000)) == .tooMany)
        #expect(openings.open(tickets[3], for: other, at: Self.at(2000)) == .opens)
        #expect(openings.open(tickets[4], for: other, at: Self.at(2000)) == .tooMany)
        openings.streamEnded(tickets[0], at: Self.at(3000))
        // It looks fresh, so that it is remembered.
        #expect(openings.open(tickets[2], for: Self.client, at: Self.at(4000)) == .tooMany)
        #expect(openings.verdict(on: tickets[0], at: Self.at(4000)) == .isOver)
        let late = Self.ticket(40_000)
        #expect(openings.open(late, for: Self.client, at: Self.at(40_000)) == .opens)
        #expect(openings.verdict(on: tickets[0], at: Self.at(40_000)) == .isOver)
    }
}
