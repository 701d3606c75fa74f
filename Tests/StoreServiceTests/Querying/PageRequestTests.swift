import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastServiceSupport
import HoldfastStoreService
import Synchronization
import HoldfastTestSupport
import Testing

@Suite("pages without a server")
struct PageRequestTests {
    private static let thing = ObjectClass(
        name: "Thing", primaryKey: "id",
        properties: [
            Property(name: "id", type: .single(.scalar(.int)), isIndexed: true),
            Property(name: "name", type: .single(.scalar(.string))),
        ])

    /// Seven things, named by whether their ids are even.
    private static func open(
        _ limits: ServiceLimits = ServiceLimits(),
        reportSlow: @escaping @Sendable (SlowQuery) -> Void = { _ in }
    ) throws -> ServedStore {
        let store = try Shelter.open(.memory, classes: [thing])
        try store.write { transaction throws(StoreError) in
            for id in Int64(0)..<7 {
                let content: ObjectContent = [
                    "id": .value(.int(id)), "name": .value(.string(id % 2 == 0 ? "even" : "odd")),
                ]
                try ObjectScript.Operation.write("Thing", content, key: nil, .merge)
                    .run(transaction)
            }
        }
        return ServedStore(store, limits: limits, report: { _, _ in }, reportSlow: reportSlow)
    }

    private static func request(
        _ subject: PageRequest.Subject, _ text: QueryText, _ served: ServedStore
    ) -> PageRequest {
        PageRequest(subject, text, for: .program)
    }

    private static func page(_ request: PageRequest, of served: ServedStore) throws -> (
        text: String, reply: PageReply
    ) {
        let page = try served.answer(request) { reply in
            (text: String(decoding: reply.text.bytes, as: UTF8.self), reply: reply.page)
        }
        return try #require(page)
    }

    private static func query(_ filter: String? = nil, limit: Int? = nil) -> QueryText {
        var text = QueryText()
        text.filter = filter
        text.limit = limit
        text.fields = "id"
        return text
    }

    @Test("follow each other by their cursors until the last one, which has none")
    func cursors() throws {
        let served = try Self.open()
        defer { served.stop() }
        var text = Self.query(limit: 3)
        var pages: [String] = []
        repeat {
            let page = try Self.page(
                Self.request(.objects(.ofClass("Thing")), text, served), of: served)
            #expect(page.reply.version == served.store.version)
            pages.append(page.text)
            text.cursor = page.reply.next
        } while text.cursor != nil
        #expect(pages.count == 3)
        #expect(
            pages.first?.hasPrefix(#"{"objects":[{"id":0},{"id":1},{"id":2}],"next":""#) ?? false)
        #expect(pages.last == #"{"objects":[{"id":6}]}"#)
    }

    @Test("are written at once where they are short")
    func short() throws {
        let served = try Self.open()
        defer { served.stop() }
        var short = Self.request(.objects(.ofClass("Thing")), Self.query("id == 5"), served)
        let text = try short.answerIfShort(served) {
            String(decoding: $0.text.bytes, as: UTF8.self)
        }
        #expect(text == #"{"objects":[{"id":5}]}"#)
        var long = Self.request(
            .sections(.ofClass("Thing"), by: "name", objectCount: 1), Self.query(), served)
        #expect(try long.answerIfShort(served) { _ in true } == nil)
    }

    @Test("have groups and sections too")
    func groupsAndSections() throws {
        let served = try Self.open()
        defer { served.stop() }
        let groups = try Self.page(
            Self.request(
                .aggregate(
                    .ofClass("Thing"), AggregateText(operations: "count,max(id)", by: "name")),
                QueryText(), served),
            of: served)
        #expect(
            groups.text == #"{"groups":[{"by":{"name":"even"},"count":4,"max(id)":6},"#
                + #"{"by":{"name":"odd"},"count":3,"max(id)":5}]}"#)
        let sections = try Self.page(
            Self.request(
                .sections(.ofClass("Thing"), by: "name", objectCount: 1), Self.query("id < 2"),
                served),
            of: served)
        #expect(
            sections.text == #"{"sections":[{"key":"even","count":1,"objects":[{"id":0}]},"#
                + #"{"key":"odd","count":1,"objects":[{"id":1}]}]}"#)
    }

    @Test("are refused with a kind, a code and where the fault is")
    func faults() throws {
        let served = try Self.open()
        defer { served.stop() }
        func fault(_ className: String, _ text: QueryText) throws -> RequestFault? {
            #expect(throws: RequestFault.self) {
                try Self.page(Self.request(.objects(.ofClass(className)), text, served), of: served)
            }
        }
        #expect(try fault("Thin", Self.query())?.kind == .notFound)
        let unknown = try fault("Thing", Self.query("nam == 'odd'"))
        #expect(unknown?.kind == .malformed)
        #expect(unknown?.errors.first?.hint == "name")
        var text = Self.query()
        text.cursor = "AAAA"
        #expect(try fault("Thing", text)?.code == "invalid-cursor")
    }

    @Test("are told to the log with their plan and without their values, where they are slow")
    func slow() throws {
        let told = Mutex<[SlowQuery]>([])
        var limits = ServiceLimits()
        limits.slowQueryMilliseconds = 0
        let served = try Self.open(limits) { query in told.withLock { $0.append(query) } }
        defer { served.stop() }
        var text = Self.query("id BETWEEN {1, 4} AND name != 'odd'")
        text.sort = "name"
        let request = Self.request(.objects(.ofClass("Thing")), text, served)
        let page = try Self.page(request, of: served)
        #expect(page.text == #"{"objects":[{"id":2},{"id":4}]}"#, "without 'explain'")
        _ = try Self.page(
            Self.request(
                .sections(.ofClass("Thing"), by: "name", objectCount: 1), Self.query(), served),
            of: served
        )
        _ = try Self.page(
            Self.request(
                .aggregate(.ofClass("Thing"), AggregateText(operations: "sum(id)")), QueryText(),
                served),
            of: served)
        text.cursor = "AAAA"
        #expect(throws: RequestFault.self) {
            try Self.page(Self.request(.objects(.ofClass("Thing")), text, served), of: served)
        }
        let queries = told.withLock { $0 }
        #expect(queries.map(\.className) == ["Thing", "Thing", "Thing"])
        #expect(queries.first?.text == "id BETWEEN {?, ?} AND name != ? SORT(name)")
        #expect(queries.map(\.plan).allSatisfy { !$0.isEmpty })
        #expect(queries.first?.rowsReturned == 2)
        #expect(queries.allSatisfy { $0.fault == nil })
    }

    @Test("are not told where they are not slow")
    func quick() throws {
        let told = Mutex(0)
        var limits = ServiceLimits()
        limits.slowQueryMilliseconds = .max
        let served = try Self.open(limits) { _ in told.withLock { $0 += 1 } }
        defer { served.stop() }
        _ = try Self.page(
            Self.request(.objects(.ofClass("Thing")), Self.query(), served), of: served)
        #expect(told.withLock { $0 } == 0)
    }
}
