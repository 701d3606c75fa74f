import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@Suite("JSON patches of objects with out-of-line collections")
struct OverflowPatchTests {
    private static let classes = [
        ObjectClass(
            name: "T", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "num", type: .single(.scalar(.int))),
                Property(name: "e", type: .single(.object("Emb")), isOptional: true),
                Property(name: "le", type: .list(.object("Emb"))),
                Property(name: "me", type: .map(.object("Emb")), isOptional: true),
            ]),
        ObjectClass(
            name: "Emb", kind: .embedded,
            properties: [
                Property(name: "n", type: .single(.scalar(.int))),
                Property(name: "s", type: .single(.scalar(.string))),
                Property(name: "lk", type: .single(.object("T")), isOptional: true),
            ]),
    ]

    /// Elements of some hundred bytes, the first three of which link to object 1.
    private static func elements(_ count: Int, _ byteCount: Int = 1000) -> String {
        let text = String(repeating: "x", count: byteCount)
        return (0..<count).map { "{\"s\":\"\(text)\",\"lk\":\($0 < 3 ? "1" : "null")}" }
            .joined(separator: ",")
    }

    private static let large = String(repeating: "x", count: 300_000)
    private static let removals = Array(
        repeating: "{\"op\":\"remove\",\"path\":\"/le/0\"}", count: 65
    ).joined(separator: ",")

    @Test(
        "leave links and out-of-line values that are counted, and that the store's check finds",
        arguments: [
            (
                "{\"e\":{},\"le\":[\(elements(120))]}",
                #"{"op":"remove","path":"/le/0"},{"op":"remove","path":"/le/0"},{"op":"add","path":"/e/lk","value":1}"#
            ),
            (
                "{\"e\":{},\"le\":[\(elements(120))]}",
                #"{"op":"add","path":"/le/0","value":{"lk":1}},{"op":"add","path":"/e/lk","value":1},{"op":"test","path":"/le/0","value":{"lk":1}},{"op":"remove","path":"/e"}"#
            ),
            (
                "{\"le\":[\(elements(66))]}",
                removals + #",{"op":"add","path":"/e","value":{"n":1}}"#
            ),
            (
                "{\"le\":[\(elements(2, 300_000))]}",
                #"{"op":"copy","path":"/le/-","from":"/le/0"},{"op":"remove","path":"/le/0"},{"op":"move","path":"/e","from":"/le/1"}"#
            ),
            (
                "{\"le\":[{\"n\":1,\"s\":\"\(large)\"}]}",
                "{\"op\":\"replace\",\"path\":\"/num\",\"value\":1},{\"op\":\"test\",\"path\":\"/le/0\",\"value\":{\"n\":1,\"s\":\"\(large)\"}}"
            ),
            (
                "{\"le\":[{\"n\":1,\"s\":\"\(large)\"},\(elements(100))]}",
                "{\"op\":\"test\",\"path\":\"/le/0\",\"value\":{\"n\":1,\"s\":\"\(large)\"}},{\"op\":\"replace\",\"path\":\"/le/1/n\",\"value\":5},{\"op\":\"test\",\"path\":\"/le/1/n\",\"value\":5}"
            ),
        ], [false, true])
    func links(_ patch: (object: String, operations: String), isTiny: Bool) throws {
        let served = try Self.served(patch.object, isTiny)
        defer { served.stop() }
        try Self.apply(patch.operations, in: served)
        #expect(try StoreCheck.run(served.store).findings.isEmpty)
        // Nothing is left of links that were counted wrongly either.
        _ = try served.make(
            ObjectWrite(
                .deleted(ObjectAddress("T", "1")), RequestBytes(""), .update, .none, for: .program,
                in: served))
        #expect(try StoreCheck.run(served.store).findings.isEmpty)
    }

    @Test(
        "make no version by an embedded object that equals the one in its place, and leave none of its values",
        arguments: [
            #"{"op":"replace","path":"/le/1","value":{"n":1,"s":"\#(large)"}}"#,
            #"{"op":"add","path":"/me/b","value":{"n":1,"s":"\#(large)"}}"#,
            #"{"op":"copy","path":"/me/b","from":"/le/1"}"#,
        ], [false, true])
    func equal(_ operation: String, isTiny: Bool) throws {
        let object = #"{"n":1,"s":"\#(Self.large)"}"#
        let served = try Self.served(
            #"{"le":[\#(Self.elements(1)),\#(object),\#(Self.elements(100))],"me":{"a":{},"b":\#(object),"c":{"s":"\#(Self.large)"}}}"#,
            isTiny)
        defer { served.stop() }
        let version = served.store.version.number
        try Self.apply(operation, in: served)
        #expect(served.store.version.number == version)
        #expect(try StoreCheck.run(served.store).findings.isEmpty)
        // What differs is a change, whose values replace the former ones.
        try Self.apply(operation.replacing(#""n":1"#, with: #""n":2"#), in: served)
        #expect((served.store.version.number == version) == operation.contains("copy"))
        #expect(try StoreCheck.run(served.store).findings.isEmpty)
    }

    /// A service with an object 1, to which others link, and an object 2.
    private static func served(_ object: String, _ isTiny: Bool) throws -> ServedStore {
        var options = StoreOptions()
        if isTiny { options.overflowLimits = .tiny }
        let served = ServedStore(
            try Shelter.open(.memory, options: options, classes: classes), limits: ServiceLimits()
        ) { _, _ in }
        for (key, json) in [("1", "{}"), ("2", object)] {
            _ = try served.make(
                ObjectWrite(
                    .named(ObjectAddress("T", key), isMerge: false), RequestBytes(json), .replace,
                    .none, for: .program, in: served))
        }
        return served
    }

    /// Patches object 2.
    private static func apply(_ operations: String, in served: ServedStore) throws {
        _ = try served.make(
            ObjectWrite(
                .patched(ObjectAddress("T", "2")), RequestBytes("[\(operations)]"), .update, .none,
                for: .program, in: served))
    }
}
