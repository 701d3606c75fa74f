import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@Suite("Random JSON patches")
struct RandomPatchTests {
    /// What a patch comes to.
    private enum Outcome: Equatable, CustomStringConvertible {
        case done(String)
        case refused(RequestFault.Kind, String, [String?])

        var description: String {
            switch self {
            case .done(let json): json
            case .refused(let kind, let code, let pointers): "\(kind) \(code) \(pointers)"
            }
        }

        /// The same with the place of the only step that of a step of the whole patch.
        func placed(at index: Int) -> Outcome {
            guard case .refused(let kind, let code, let pointers) = self else { return self }
            return .refused(
                kind, code, pointers.map { $0.map { "/\(index)" + $0.dropFirst(2) } })
        }

        /// Whether it is what no object could take, or concerns the key, and the other what this one lacks.
        func isToldBefore(_ other: Outcome) -> Bool {
            guard case .refused(_, let code, let pointers) = self else { return false }
            guard case .refused(_, let otherCode, _) = other else {
                // The document of a set's element is an array like any other.
                return code == "set-index"
            }
            // An element is read by itself, and not as one of its array.
            if code == "null-not-allowed", otherCode == "wrong-type" { return true }
            if code == "key-mismatch", ["missing-key", code].contains(otherCode) { return true }
            // That a set's elements have no positions is known before the document is read.
            if code == "set-index", otherCode == "path-missing" { return true }
            // Behind a list's end there is no set, whose elements have no positions.
            // What stands for a date is an object only in the document.
            if code == "path-missing", ["set-index", "invalid-mixed"].contains(otherCode) {
                return true
            }
            // A value that is added at the end has its place here, and had none there.
            if code == otherCode, pointers.first??.hasPrefix("/0/value/") ?? false { return true }
            return otherCode == "path-missing" && pointers.first??.hasPrefix("/0/value") ?? false
        }

        /// Whether it is that the place which a member of the first step names is not there.
        func isMissing(_ member: String) -> Bool {
            guard case .refused(_, "path-missing", let pointers) = self else { return false }
            return pointers == ["/0/\(member)"]
        }

        var pointerCount: Int {
            if case .refused(_, _, let pointers) = self { return pointers.count }
            return 0
        }
    }

    /// Two stores that get the same objects: one applies patches, in the other the documents are patched.
    private struct Pair {
        let patched: ServedStore
        let document: ServedStore
        private let classes: [ObjectClass]
        var served: [ServedStore] { [patched, document] }

        init(_ classes: [ObjectClass], isTiny: Bool) throws {
            func open() throws -> ServedStore {
                var options = StoreOptions()
                if isTiny { options.overflowLimits = .tiny }
                return ServedStore(
                    try Shelter.open(.memory, options: options, classes: classes),
                    limits: ServiceLimits()
                ) { _, _ in }
            }
            patched = try open()
            document = try open()
            self.classes = classes
        }

        private static func outcome(_ body: () throws -> ServedStore.Answer) throws -> Outcome {
            do {
                guard case .json(let json, _) = try body() else { return .done("") }
                return .done(json)
            } catch let fault as RequestFault {
                return .refused(fault.kind, fault.code, fault.errors.map(\.pointer))
            }
        }

        /// Applies steps of a patch to an object, one after the other in the one store, at once to its document in the other.
        func apply(
            _ steps: [RandomPatch.Step], to object: ObjectAddress
        ) throws -> (Outcome, Outcome) {
            let patch = "[" + steps.map(\.json).joined(separator: ",") + "]"
            let outcome = try Self.outcome {
                try patched.make(
                    ObjectWrite(
                        .patched(object), RequestBytes(patch), .update, .none, for: .program,
                        in: patched))
            }
            try makeStated(by: steps)
            let expected = try Self.outcome {
                try document.make(DocumentPatchWrite(object, RequestBytes(patch), in: document))
            }
            return (outcome, expected)
        }

        /// Makes the objects that the patched store has made: a step makes what its value states before the next one, in the order
        /// that sets of links show, and even if a later step takes the links to it out. A document is written once, at its end.
        private func makeStated(by steps: [RandomPatch.Step]) throws {
            let known = try document.store.contents().objects
            let values = steps.filter { ["add", "replace"].contains($0.kind) }.compactMap(\.value)
            let made = try patched.store.contents().identities.sorted { $0.key.key < $1.key.key }
            for identity in made.map(\.value) where known[identity] == nil {
                let objectClass = classes.first { $0.name == identity.className }
                let name = try #require(objectClass?.primaryKey)
                let buffer = ByteBuffer(capacity: 32)
                SchemaWriter(JSONWriter(buffer)).write(identity.key)
                let key = String(decoding: buffer.bytes, as: UTF8.self)
                #expect(values.contains { $0.contains("{\"\(name)\":\(key)}") }, "\(identity)")
                try document.store.put(
                    identity.className, [name: .value(identity.key)], mode: .create)
            }
        }

        /// Gives an object the same values in both.
        func put(_ json: String, _ object: ObjectAddress) throws {
            for served in served {
                _ = try served.make(
                    ObjectWrite(
                        .named(object, isMerge: false), RequestBytes(json), .replace, .none,
                        for: .program, in: served))
            }
        }

        /// Gives an object the same values in both, behind a patch that came to something else in each, and takes away what
        /// only the document's has made.
        func restore(_ json: String, _ object: ObjectAddress) throws {
            try put(json, object)
            let known = try patched.store.contents().objects
            for identity in try document.store.contents().objects.keys.sorted()
            where known[identity] == nil {
                try document.store.delete(identity.className, identity.key)
            }
            try requireSame()
        }

        /// Expects that both hold the same.
        func requireSame(_ comment: @autoclosure () -> Comment? = nil) throws {
            let contents = try served.map { try $0.store.contents().objects.mapValues(\.content) }
            #expect(contents[0] == contents[1], comment())
        }
    }

    /// Classes without defaults that are other ones each time.
    private static func classes(_ random: inout SeededGenerator) -> [ObjectClass] {
        var schema = RandomSchema()
        var classes = schema.make(&random)
        for index in classes.indices {
            for member in classes[index].properties.indices {
                switch classes[index].properties[member].defaultValue {
                case .uuid?, .objectID?, .now?, .next?:
                    classes[index].properties[member].defaultValue = nil
                default: break
                }
                // A required one without a default gets another each time, too.
                switch classes[index].properties[member].type {
                case .single(.scalar(.uuid)), .single(.scalar(.objectID)), .single(.scalar(.date)):
                    if classes[index].properties[member].defaultValue == nil {
                        classes[index].properties[member].isOptional = true
                    }
                default: break
                }
            }
        }
        return classes
    }

    @Test("come to what the patched document of the object would, one step after the other")
    func patches() throws {
        let seed = SeededGenerator.testSeed("random JSON patches")
        var tally = (done: 0, refused: 0, loose: 0)
        for round in 0..<SeededGenerator.scaled(30) {
            var random = SeededGenerator(seed: seed &+ UInt64(round))
            let classes = Self.classes(&random)
            let pair = try Pair(classes, isTiny: round % 3 == 1)
            defer { for served in pair.served { served.stop() } }
            var maker = RandomPatch(classes: classes)
            var objects: [(ObjectClass, String)] = []
            for objectClass in classes where objectClass.kind == .object {
                for _ in 0..<3 {
                    var key: String?
                    var json = "{}"
                    if let name = objectClass.primaryKey,
                        let property = objectClass.properties.first(where: { $0.name == name })
                    {
                        let buffer = ByteBuffer(capacity: 32)
                        SchemaWriter(JSONWriter(buffer)).write(
                            RandomContent.primaryKey(property, &random))
                        key = String(decoding: buffer.bytes, as: UTF8.self)
                        json = "{\"\(name)\":\(key ?? "")}"
                    }
                    var id: String?
                    for served in pair.served {
                        let made = try? served.make(
                            ObjectWrite(
                                .new(RequestBytes(objectClass.name), isArray: false),
                                RequestBytes(json), .create, .none, for: .program, in: served))
                        guard case .json(let text, _)? = made, key == nil else { continue }
                        id = text.split(separator: "\"$id\":").last.map {
                            String($0.prefix { $0.isNumber })
                        }
                    }
                    guard let id = key ?? id, id != "null" else { continue }
                    maker.keys[objectClass.name, default: []].append(id)
                    objects.append((objectClass, id))
                }
            }
            for _ in 0..<40 {
                guard let (objectClass, id) = objects.randomElement(using: &random) else { break }
                guard let text = Self.keyText(id) else { continue }
                let object = ObjectAddress(objectClass.name, text)
                if Int.random(in: 0..<4, using: &random) == 0 {
                    try? pair.put(maker.object(objectClass, 2, &random), object)
                }
                try Self.compare(pair, object, objectClass, maker, &random, &tally)
            }
            #expect(try StoreCheck.run(pair.patched.store).findings.isEmpty, "round \(round)")
        }
        print("random JSON patches: \(tally)")
        #expect(tally.done > 300 && tally.refused > 100)
    }

    /// The text of a key in a path; nil for one that no path can carry.
    private static func keyText(_ json: String) -> String? {
        guard json.hasPrefix("\"") else { return json }
        let (bytes, parser) = (RequestBytes(json), JSONParser())
        defer { withExtendedLifetime((bytes, parser)) {} }
        guard let text = try? parser.parse(bytes.bytes, depthMax: 1).string, !text.isEmpty else {
            return nil
        }
        return text
    }

    private static func document(_ json: String) throws -> DocumentNode {
        let (bytes, parser) = (RequestBytes(json), JSONParser())
        defer { withExtendedLifetime((bytes, parser)) {} }
        return DocumentNode(try parser.parse(bytes.bytes, depthMax: 300))
    }

    private static func compare(
        _ pair: Pair, _ object: ObjectAddress, _ objectClass: ObjectClass, _ maker: RandomPatch,
        _ random: inout SeededGenerator, _ tally: inout (done: Int, refused: Int, loose: Int)
    ) throws {
        let (before, other) = try pair.apply([], to: object)
        guard case .done(let json) = before else { return }
        #expect(before == other)
        let steps = maker.steps(try document(json), objectClass, &random)
        let patch = "[" + steps.map(\.json).joined(separator: ",") + "]"
        let versions = pair.served.map(\.store.version.number)
        let (patched, expected) = try pair.apply(steps, to: object)
        if patched == expected {
            if case .done = patched { tally.done += 1 } else { tally.refused += 1 }
            let changes = zip(pair.served, versions).map { $0.store.version.number != $1 }
            // What is changed and changed back out of line is a change.
            #expect(changes[0] || !changes[1], "\(json)\n\(patch)")
            return try pair.requireSame("\(json)\n\(patch)")
        }
        // Each step for itself: a value has to fit its place though a later step takes it away.
        tally.loose += 1
        try pair.restore(json, object)
        var all: [RequestFault.Kind: Int] = [:]
        for (index, step) in steps.enumerated() {
            let (own, single) = try pair.apply([step], to: object)
            if own != single, step.isLoose || own.isToldBefore(single) {
                return try settle(pair, object)
            }
            // A path that goes on behind a list's end is known to lead nowhere before an object is read.
            if step.path.contains("/-/"), own.isMissing("path"), single.isMissing("from") {
                return try settle(pair, object)
            }
            #expect(own == single, "\(json)\n\(patch)\nstep \(index): \(step.json)")
            guard case .refused(let kind, _, _) = own else { continue }
            all[kind, default: 0] += 1
            // A fault that no stored object can cure is told before one that depends on it.
            if patched != own.placed(at: index), patched.pointerCount == 1,
                case .refused = patched
            {
                continue
            }
            return try settle(pair, object)
        }
        if all.isEmpty {
            let (own, _) = try pair.apply([], to: object)
            #expect(own == patched, "\(json)\n\(patch)\nexpected \(expected)")
        }
        try settle(pair, object)
    }

    /// Gives both stores what the patched one has.
    private static func settle(_ pair: Pair, _ object: ObjectAddress) throws {
        if case (.done(let json), _) = try pair.apply([], to: object) {
            try pair.restore(json, object)
        }
    }
}
