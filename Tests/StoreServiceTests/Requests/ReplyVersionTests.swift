@testable import HoldfastStreams
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastStoreService

/// A write that ends between the two reads that a reply could make: of the view that it is made from, and of the newest version.
@Suite("The version of a reply is that of the view that it is made of")
struct ReplyVersionTests {
    private static let thing = ObjectClass(
        name: "Thing", primaryKey: "id",
        properties: [
            Property(name: "id", type: .single(.scalar(.int))),
            Property(name: "names", type: .list(.scalar(.string))),
        ])
    private static let address = ObjectAddress("Thing", "7")

    private static func service() throws -> TestService {
        let service = try TestService(classes: [thing])
        try service.put(address, #"{"names":["a"]}"#)
        return service
    }

    /// Runs `body` on a view that was opened before a write, and passes it the version that the view shows.
    private static func withPastView(
        _ service: TestService, _ body: (ReadTransaction, StoreVersion) throws(RequestFault) -> Void
    ) throws {
        let before = service.store.version
        let held = try service.served.holdRead(for: .program)
        defer { held.close() }
        try service.put(address, #"{"names":["b","c"]}"#)
        #expect(service.store.version.number == before.number + 1)
        try held.withRead { read throws(StoreError) in
            do throws(RequestFault) { try body(read, before) } catch { throw .refused(error) }
        }
    }

    @Test(
        "an object that was asked for before a write, and read behind it, has no older version than its tag"
    )
    func lateView() throws {
        let service = try Self.service()
        let object = ObjectRead(Self.address, isProjected: false, for: .program)
        let element = ElementRead(
            ElementAddress(Self.address, RequestBytes("names"), .path(RequestBytes("0"), [])),
            for: .program)
        try service.put(Self.address, #"{"names":["b","c"]}"#)
        let present = service.store.version
        for reply in [
            try service.served.reply(to: object) { [$0.version, $0.etag] },
            try service.served.reply(to: element) { [$0.version, $0.etag] },
        ] {
            #expect(reply == [present, present])
        }
    }

    @Test(
        "an object that is read from a view has the view's version, however many writes have ended since"
    )
    func formerView() throws {
        let service = try Self.service()
        try Self.withPastView(service) { read, before throws(RequestFault) in
            let object = ObjectRead(Self.address, isProjected: false, for: .program)
            let reply = try object.reply(read, service.served)
            #expect(reply.version == before && reply.etag == before)
        }
    }

    @Test("changes since now are none, though a write ends behind the view that they are read from")
    func changes() throws {
        let service = try Self.service()
        let served = service.served
        let stream = try StreamDefinition(
            of: .objects(className: "Thing"), QueryText(), EventOptions(), quotesLargeInts: false
        ).checked(served, for: .program)
        try Self.withPastView(service) { read, before throws(RequestFault) in
            let page = try served.page(of: stream, from: .now, limit: 10, for: .program, in: read)
            let text = String(decoding: page.buffer.bytes, as: UTF8.self)
            #expect(text == #"{"changes":[],"cursor":"\#(before)","upToDate":true}"#)
        }
    }
}
