import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@Suite("writes without a server")
struct ServedWriteTests {
    private static func thing(_ others: [Property] = []) -> ObjectClass {
        ObjectClass(
            name: "Thing", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "names", type: .list(.scalar(.string))),
            ] + others)
    }

    private static func open() throws -> ServedStore {
        ServedStore(
            try Shelter.open(.memory, classes: [thing()]), limits: ServiceLimits()
        ) { _, _ in }
    }

    private static func put(
        _ key: String, _ json: String, _ served: ServedStore,
        _ precondition: Precondition = .none
    ) -> ObjectWrite {
        ObjectWrite(
            .named(ObjectAddress("Thing", key), isMerge: false), RequestBytes(json), .replace,
            precondition, for: .program, in: served)
    }

    private static func create(_ json: String, isArray: Bool, _ served: ServedStore) -> ObjectWrite
    {
        ObjectWrite(
            .new(RequestBytes("Thing"), isArray: isArray), RequestBytes(json), .create, .none,
            for: .program, in: served)
    }

    /// Of a client that has left.
    private final class DepartedTurn: TimeSlice {
        let isAlone = true
        func mayContinue() -> Bool { false }
    }

    private static func manyObjects(_ count: Int) -> String {
        "[" + Array(repeating: #"{"id":{}}"#, count: count).joined(separator: ",") + "]"
    }

    @Test("of more objects than one transaction may have are refused before all are read")
    func boundedObjects() throws {
        var options = StoreOptions()
        options.operationCountMax = 100
        let served = ServedStore(
            try Shelter.open(.memory, options: options, classes: [Self.thing()]),
            limits: ServiceLimits()
        ) { _, _ in }
        defer { served.stop() }
        let fault = #expect(throws: RequestFault.self) {
            try served.make(Self.create(Self.manyObjects(10_000), isArray: true, served))
        }
        #expect(fault?.code == "too-many-operations")
        // Loops look at their budget after each value, so that one more is begun.
        #expect(Self.readCount(served) <= 102)
    }

    @Test("end soon when their client leaves while the body is read")
    func departure() throws {
        let served = try Self.open()
        defer { served.stop() }
        let reading = RequestScratch.current.reader.budget
        reading.timeSlice = DepartedTurn()
        defer { reading.timeSlice = nil }
        #expect(throws: RequestFault.self) {
            try served.make(Self.create(Self.manyObjects(10_000), isArray: true, served))
        }
        #expect(Self.readCount(served) <= Budget.stepsUnseen)
    }

    /// How many objects the reader of the thread has read last.
    private static func readCount(_ served: ServedStore) -> Int {
        RequestScratch.current.reader.draftByteCount
            / ObjectDraft.byteCount(of: served.store.catalog.rows.classes[0])
    }

    @Test("are whole when their body is read again that was left in the middle")
    func readAgain() throws {
        let served = try Self.open()
        defer { served.stop() }
        let objects = (0..<3000).map { #"{"id":\#($0)}"# }
        let write = Self.create("[" + objects.joined(separator: ",") + "]", isArray: true, served)
        write.form.isMinimal = true
        let reading = RequestScratch.current.reader.budget
        for _ in 0..<2 {
            reading.timeSlice = DepartedTurn()
            #expect(throws: RequestFault.self) { try served.make(write) }
            reading.timeSlice = nil
        }
        _ = try served.make(write)
        let count = try served.store.withRead { read throws(StoreError) in
            try read.classState(read.rows.classes[0]).count
        }
        #expect(count == 3000)
    }

    @Test("tell what was created, and the object as they leave it")
    func put() throws {
        let served = try Self.open()
        defer { served.stop() }
        #expect(
            try served.make(Self.put("7", #"{"names":["a"]}"#, served))
                == .json(#"{"id":7,"names":["a"]}"#, isCreated: true))
        #expect(
            try served.make(Self.put("7", "{}", served))
                == .json(#"{"id":7,"names":[]}"#, isCreated: false))
    }

    @Test("fail with a fault of the request, and leave nothing behind")
    func faults() throws {
        let served = try Self.open()
        defer { served.stop() }
        let version = served.store.version
        let fault = #expect(throws: RequestFault.self) {
            try served.make(Self.put("7", #"{"nmes":[]}"#, served))
        }
        #expect(fault?.errors.first?.hint == "names")
        let missing = #expect(throws: RequestFault.self) {
            try served.make(Self.put("7", "{}", served, .exists))
        }
        #expect(missing?.kind == .preconditionFailed)
        let taken = #expect(throws: RequestFault.self) {
            try served.make(Self.create(#"[{"id":1},{"id":1}]"#, isArray: true, served))
        }
        #expect(taken?.kind == .conflict && taken?.errors.first?.pointer == "/1")
        #expect(served.store.version == version)
    }

    @Test("read their request again when the schema has changed before their turn")
    func schemaChange() throws {
        let served = try Self.open()
        defer { served.stop() }
        let age = Property(name: "age", type: .single(.scalar(.int)))
        #expect(
            try served.make(
                Self.put("7", "{}", served),
                amid: { _ in try served.store.setSchema([Self.thing([age])]) })
                == .json(#"{"id":7,"names":[],"age":0}"#, isCreated: true))
    }

    @Test("are made once under an idempotency key, whose repeats get the first reply")
    func idempotency() throws {
        let served = try Self.open()
        defer { served.stop() }
        let key = IdempotencyKey(
            id: Array(repeating: 1, count: 32), request: Array(repeating: 2, count: 32))
        guard case .first(let claim) = try served.idempotency.enter(key, served) else {
            Issue.record("the first request is no repeat")
            return
        }
        #expect(throws: RequestFault.self) { try served.idempotency.enter(key, served) }
        let body = Self.create(#"{"id":1}"#, isArray: false, served)
        let json = #"{"id":1,"names":[]}"#
        #expect(try served.make(body, claim) == .json(json, isCreated: true))
        guard case .repeat(let reply) = try served.idempotency.enter(key, served) else {
            Issue.record("the second request is a repeat")
            return
        }
        #expect(String(decoding: RequestScratch.current.reply.bytes, as: UTF8.self) == json)
        #expect(reply.isRepeat && reply.isCreated && reply.version == served.store.version)
        #expect(reply.etag == served.store.version)
        #expect(reply.created == CreatedPath(className: "Thing", key: .number("1")))
        let other = IdempotencyKey(id: key.id, request: Array(repeating: 3, count: 32))
        let fault = #expect(throws: RequestFault.self) {
            try served.idempotency.enter(other, served)
        }
        #expect(fault?.code == "idempotency-key-reused")
    }

    @Test("write no more of a reply that is to be recorded than a record may have, and one object")
    func longRecord() throws {
        var options = StoreOptions()
        options.idempotency.recordByteCountMax = 10_000
        let served = ServedStore(
            try Shelter.open(.memory, options: options, classes: [Self.thing()]),
            limits: ServiceLimits()
        ) { _, _ in }
        defer { served.stop() }
        let key = IdempotencyKey(
            id: Array(repeating: 1, count: 32), request: Array(repeating: 2, count: 32))
        guard case .first(let claim) = try served.idempotency.enter(key, served) else {
            Issue.record("the first request is no repeat")
            return
        }
        let name = String(repeating: "n", count: 1000)
        let things = (0..<500).map { "{\"id\":\($0),\"names\":[\"\(name)\"]}" }
        let body = MeasuredWrite(
            Self.create("[\(things.joined(separator: ","))]", isArray: true, served))
        let write = try ServedWrite(body, waiter: WaitingThread(), claim, in: served)
        write.start()
        write.waiter.wait()
        defer { write.end() }
        let fault = #expect(throws: RequestFault.self) { try write.answer() }
        #expect(fault?.code == "too-large")
        // Behind the limit each object is no more than a null.
        #expect((10_000..<15_000).contains(body.replyByteCount))
        #expect(served.store.version.number == 1)
    }

    @Test("change elements, patch and delete by the same way")
    func otherBodies() throws {
        let served = try Self.open()
        defer { served.stop() }
        _ = try served.make(Self.put("7", #"{"names":["a"]}"#, served))
        let object = ObjectAddress("Thing", "7")
        let element = ElementAddress(object, RequestBytes("names"), .none)
        #expect(
            try served.make(
                ElementWrite(
                    .add, element, RequestBytes(#""b""#), for: .program, in: served))
                == .json(#"{"id":7,"names":["a","b"]}"#, isCreated: true))
        let patch = RequestBytes(#"[{"op":"remove","path":"/names/0"}]"#)
        #expect(
            try served.make(
                ObjectWrite(.patched(object), patch, .update, .none, for: .program, in: served))
                == .json(#"{"id":7,"names":["b"]}"#, isCreated: false))
        let transaction = RequestBytes(
            #"{"operations":[{"op":"delete","class":"Thing","id":7}]}"#)
        _ = try served.make(TransactionWrite(transaction, for: .program, in: served))
        let gone = #expect(throws: RequestFault.self) {
            try served.make(
                ObjectWrite(
                    .deleted(object), RequestBytes(""), .update, .none, for: .program, in: served))
        }
        #expect(gone?.kind == .notFound)
        var read = ObjectRead(
            object, isProjected: false, for: .program)
        #expect(throws: RequestFault.self) { try read.answerIfShort(served) { $0 } }
    }
}
