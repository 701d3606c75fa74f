@testable import HoldfastStreams
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import HoldfastThreads
import Testing

@testable import HoldfastStoreService

/// The limits on the number of streams of several queries, and the choice of streams that end to make room for others.
@Suite("The table of streams of several queries")
struct QueryStreamsTests {
    private let service: TestService
    private let streams: QueryStreams

    private init() throws {
        try self.init { _ in }
    }

    private init(_ change: (inout ServiceLimits) -> Void) throws {
        var limits = ServiceLimits()
        change(&limits)
        service = try TestService(
            classes: [
                ObjectClass(
                    name: "Task", primaryKey: "id",
                    properties: [
                        Property(name: "id", type: .single(.scalar(.int))),
                        Property(name: "title", type: .single(.scalar(.string))),
                    ])
            ], limits: limits)
        streams = QueryStreams(limits)
    }

    private func make(
        by client: UInt64, isUser: Bool = true, filter: String? = nil
    ) throws -> QueryStream {
        let text =
            filter.map { #"{"queries":{"a":{"class":"Task","filter":"\#($0)"}}}"# }
            ?? #"{"queries":{}}"#
        let caller = Caller(token: client, address: "")
        let bytes = RequestBytes(text)
        let parser = JSONParser()
        return try withExtendedLifetime((bytes, parser)) {
            let body = try StreamQueriesBody(
                parser.parse(bytes.bytes), byteCount: bytes.bytes.count, of: nil, for: caller,
                quotesLargeInts: false, service.served)
            return try streams.make(body, for: caller, isUser: isUser)
        }
    }

    /// Whether a client's stream is still in the table.
    private func isThere(_ stream: QueryStream) -> Bool {
        let caller = Caller(token: stream.owner, address: "")
        return (try? streams.find(stream.id, of: caller)) != nil
    }

    @Test("a user's oldest stream without a follower ends when 20 wait for one and another is made")
    func waiting() throws {
        let other = try make(by: 1)
        let followed = try make(by: 2)
        let lease = try followed.follow()
        let made = try (0..<20).map { _ in try make(by: 2) }
        #expect(made.allSatisfy(isThere))
        let more = try (0..<3).map { _ in try make(by: 2) }
        #expect(
            made.map(isThere) == Array(repeating: false, count: 3)
                + .init(repeating: true, count: 17))
        #expect((more + [other, followed]).allSatisfy(isThere))
        // A stream that loses its follower becomes the youngest of the waiting streams.
        lease.end()
        _ = try make(by: 2)
        #expect(isThere(followed) && !isThere(made[3]) && !isThere(made[4]) && isThere(made[5]))
    }

    @Test("a token of the store has more than 20 streams that wait for a follower")
    func tokens() throws {
        let made = try (0..<50).map { _ in try make(by: 1, isUser: false) }
        #expect(made.allSatisfy(isThere))
    }

    @Test("in a full table the oldest stream without a follower ends, whoever made it")
    func fullTable() throws {
        let table = try QueryStreamsTests { $0.queryStreamCountMax = 30 }
        let followed = try (0..<5).map { _ in try table.make(by: 1) }
        let leases = try followed.map { try $0.follow() }
        let many = try (0..<20).map { _ in try table.make(by: 2) }
        let others = try (3..<10).map { try table.make(by: $0) }
        #expect(others.allSatisfy(table.isThere))
        #expect(many.map(table.isThere) == [false, false] + Array(repeating: true, count: 18))
        #expect(followed.allSatisfy(table.isThere))
        withExtendedLifetime(leases) {}
    }

    @Test("where all streams are followed, no other is made and none ends")
    func allFollowed() throws {
        let table = try QueryStreamsTests {
            $0.queryStreamCountMax = 3
            $0.tokenStreamCountMax = 2
        }
        let first = try table.make(by: 1)
        let second = try table.make(by: 1)
        var leases = try [first, second].map { try $0.follow() }
        #expect(throws: RequestFault.self) { try table.make(by: 1) }
        let third = try table.make(by: 2)
        leases.append(try third.follow())
        #expect(throws: RequestFault.self) { try table.make(by: 3) }
        #expect([first, second, third].allSatisfy(table.isThere))
        leases.removeLast().end()
        #expect(table.isThere(try table.make(by: 3)))
        #expect(!table.isThere(third))
    }

    @Test("the texts of queries that nobody follows make room for others'")
    func texts() throws {
        let filter = "title != '\(String(repeating: "x", count: 1000))'"
        let table = try QueryStreamsTests { $0.queryStreamByteCountMax = 32 << 10 }
        // A user has a sixteenth of the room.
        let first = try table.make(by: 1, filter: filter)
        let empty = try table.make(by: 1)
        let second = try table.make(by: 1, filter: filter)
        #expect(!table.isThere(first) && table.isThere(empty) && table.isThere(second))
        let many = try (0..<100).map { try table.make(by: 100 + $0, filter: filter) }
        let fittingCount = (32 << 10) / second.byteCount
        #expect(many.map(table.isThere) == (0..<100).map { $0 >= 100 - fittingCount })
        #expect(!table.isThere(first) && !table.isThere(second))
    }

    @Test("a stream that ended for others can't be followed by a request that has found it")
    func ended() throws {
        let table = try QueryStreamsTests { $0.userWaitingStreamCountMax = 1 }
        let found = try table.make(by: 1)
        _ = try table.make(by: 1)
        let fault = #expect(throws: RequestFault.self) { try found.follow() }
        #expect(fault?.code == "stream-not-found")
    }
}
