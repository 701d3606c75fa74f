import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("Random projections")
struct RandomProjectionTests {
    /// The people with numbers to calculate with.
    static let schema = {
        var schema = Projections.schema
        schema.classes[0].properties.append(Schemas.list("scores", .int, optional: true))
        return schema
    }()

    /// What projections show, worked out from whole objects as their classes have them.
    private struct Model {
        let schema: Schema
        let projections: [Projection]
        var objects: [String: [Int64: QueryJSON]] = [:]

        /// Reads every object.
        init(_ schema: Schema, _ projections: [Projection], _ server: TestServer) {
            self.schema = schema
            self.projections = projections
            for objectClass in schema.classes where objectClass.kind == .object {
                let inverse = objectClass.properties.filter {
                    if case .linkingObjects = $0.type { true } else { false }
                }
                let fields = (["*", "$id"] + inverse.map(\.name)).joined(separator: ",")
                let page = server.send(
                    "GET",
                    target(
                        "/v1/classes/\(objectClass.name)/objects",
                        [("fields", fields), ("limit", "1000")]))
                for object in page.json["objects"]?.elements ?? [] {
                    objects[objectClass.name, default: [:]][object["$id"]?.int ?? 0] = object
                }
            }
        }

        func show(_ object: QueryJSON, _ name: String) -> QueryJSON {
            guard let projection = projections.first(where: { $0.name == name }),
                let base = schema.objectClass(named: projection.className)
            else { return .null }
            var shown: [String: QueryJSON] = [:]
            if base.kind == .object, base.primaryKey == nil { shown["$id"] = object["$id"] }
            for property in projection.properties {
                shown[property.name] = value(
                    object, base, property.path[...], property.projection)
            }
            return .object(shown)
        }

        private func value(
            _ object: QueryJSON, _ base: ObjectClass, _ path: ArraySlice<String>,
            _ projection: String?
        ) -> QueryJSON {
            guard let name = path.first, let found = object[name],
                let position = base.propertyIndex(named: name)
            else { return .null }
            let property = base.properties[position]
            if let operation = path.dropFirst().first, operation.hasPrefix("@") {
                // The bytes of a text that is null are not counted.
                if case .single(.scalar) = property.type, found == .null { return .null }
                return calculated(
                    operation, values(found, property, path.dropFirst(2).first),
                    isDouble: path.last == "weight")
            }
            guard case .object(let className)? = property.type.element,
                let next = schema.objectClass(named: className), path.count > 1 || projection != nil
            else { return found }
            func behind(_ value: QueryJSON) -> QueryJSON {
                if value == .null { return .null }
                let target =
                    next.kind == .embedded ? value : objects[className]?[value.int ?? 0] ?? .null
                return path.count > 1
                    ? self.value(target, next, path.dropFirst(), projection)
                    : show(target, projection ?? "")
            }
            if case .array(let elements) = found { return .array(elements.map(behind)) }
            return behind(found)
        }

        /// The elements of a property, or what they have of a property of theirs.
        private func values(
            _ found: QueryJSON, _ property: Property, _ name: String?
        ) -> [QueryJSON] {
            if case .single(.scalar) = property.type {
                return found.string.map { Array(repeating: .null, count: $0.utf8.count) } ?? []
            }
            if case .single = property.type { return found == .null ? [] : [.null] }
            guard let name else { return found.elements }
            let className: String
            switch property.type {
            case .linkingObjects(let origin, _): className = origin
            case .list(.object(let target)), .set(.object(let target)): className = target
            default: return []
            }
            let isEmbedded = schema.objectClass(named: className)?.kind == .embedded
            return found.elements.map { element in
                let object = isEmbedded ? element : objects[className]?[element.int ?? 0]
                return object?[name] ?? .null
            }
        }

        /// What a count or an aggregate makes of values, which are ints, or doubles, or null.
        private func calculated(
            _ operation: String, _ values: [QueryJSON], isDouble: Bool
        ) -> QueryJSON {
            if operation == "@count" { return .int(Int64(values.count)) }
            var ints: [Int64] = []
            var doubles: [Double] = []
            for value in values {
                if case .int(let int) = value { ints.append(int) }
                if case .double(let double) = value { doubles.append(double) }
            }
            let numbers = ints.map(Double.init) + doubles
            switch operation {
            case "@avg" where numbers.isEmpty: return .null
            case "@avg": return .double(numbers.reduce(0, +) / Double(numbers.count))
            case "@sum" where isDouble: return .double(numbers.reduce(0, +))
            case "@sum": return .int(ints.reduce(0, +))
            case "@min":
                return ints.min().map { .int($0) } ?? doubles.min().map { .double($0) } ?? .null
            default:
                return ints.max().map { .int($0) } ?? doubles.max().map { .double($0) } ?? .null
            }
        }

        /// What `fields` shows of an object beside its `$id`.
        func calculate(_ object: QueryJSON, _ base: ObjectClass, _ path: [String]) -> QueryJSON {
            value(object, base, path[...], nil)
        }
    }

    /// A change of anything at random, as a request.
    private static func change(_ random: inout SeededGenerator) -> (String, String, String?) {
        let id = Int.random(in: 1...8, using: &random)
        func person() -> String { "\(Int.random(in: 1...8, using: &random))" }
        func name() -> String { "\"\(["a", "b", "c"].randomElement(using: &random) ?? "")\"" }
        func address(_ depth: Int = 0) -> String {
            let landlord = Bool.random(using: &random) ? person() : "null"
            let inner =
                depth < 2 && Bool.random(using: &random) ? ",\"inner\":" + address(depth + 1) : ""
            return "{\"city\":\(name()),\"street\":\(name()),\"lines\":[\(name())],"
                + "\"landlord\":\(landlord)\(inner)}"
        }
        let member: String
        switch Int.random(in: 0...10, using: &random) {
        case 0: member = "\"firstName\":\(name())"
        case 1: member = "\"lastName\":\(name())"
        case 2: member = "\"age\":\(Int.random(in: 1...9, using: &random))"
        case 3: member = "\"home\":" + (Bool.random(using: &random) ? address() : "null")
        case 4: member = "\"places\":[\(address()),\(address())]"
        case 5: member = "\"friends\":[\(person()),\(person())]"
        case 6: member = "\"boss\":" + (Bool.random(using: &random) ? person() : "null")
        case 7: member = "\"tags\":[\(name()),null]"
        case 8:
            let weight = Double(Int.random(in: 0...9, using: &random)) / 2
            member = "\"pets\":[{\"name\":\(name()),\"vet\":\(person()),\"weight\":\(weight)}]"
        case 9: member = "\"scores\":[\(person()),null,\(person())]"
        default:
            if Int.random(in: 0...3, using: &random) == 0 {
                return ("DELETE", "/v1/classes/Person/objects/\(id)", nil)
            }
            member = "\"home\":{\"city\":\(name())}"
        }
        return ("PATCH", "/v1/classes/Person/objects/\(id)?upsert=true", "{\(member)}")
    }

    @Test("what is listed is what the paths lead to, and a stream's replica stays equal to it")
    func againstModel() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("projections"))
        for _ in 0..<SeededGenerator.scaled(5) {
            var projections = RandomProjections(Self.schema)
            projections.make("Pet", &random)
            for _ in 0..<6 { projections.make(nil, &random) }
            for _ in 0..<3 { projections.make("Person", &random) }
            let server = ChangesServer(try TestServer(schema: Self.schema))
            for projection in projections.made {
                let reply = server.send(
                    "PUT", "/v1/projections/\(projection.name)", projection.body)
                try #require(reply.status == 201, "\(projection.body) \(reply.text)")
            }
            let shown = projections.made.filter { $0.className != "Address" }
            let streams = shown.map { projection in
                server.events("/v1/projections/\(projection.name)/changes", [("since", "start")])
            }
            var replicas = streams.map { stream in
                var replica = ChangesReplica()
                for event in stream.events(to: "upToDate") { replica.apply(event) }
                return replica
            }
            for _ in 0..<40 {
                let (method, target, body) = Self.change(&random)
                _ = server.send(method, target, body)
            }
            // The last change is one that every stream has to tell.
            for (position, projection) in shown.enumerated() {
                let made = server.send(
                    "POST", "/v1/classes/\(projection.className)/objects",
                    projection.className == "Person"
                        ? #"{"_id":\#(1000 + position)}"# : #"{"name":"last"}"#)
                try #require(made.status == 201, "\(made.text)")
            }
            let model = Model(Self.schema, projections.made, server.server)
            for (position, projection) in shown.enumerated() {
                let page = server.send(
                    "GET",
                    "/v1/projections/\(projection.name)/objects?fields=*,$id&limit=1000")
                let objects = page.json["objects"]?.elements ?? []
                let last = server.store.version.description
                while let event = streams[position].next() {
                    replicas[position].apply(event)
                    if event.id == last { break }
                    // Heartbeats apart, the insertions are the last that a stream of the class tells.
                    let isLast = event.changes.contains { change in
                        projection.className == "Person"
                            ? change == "enter \(1000 + Self.lastPerson(shown))"
                            : change == "enter \(Self.lastPet(objects))"
                    }
                    if isLast { break }
                }
                #expect(replicas[position].objects.count == objects.count)
                for object in objects {
                    let id = object["$id"]?.int ?? 0
                    let whole = model.objects[projection.className]?[id] ?? .null
                    var wanted = model.show(whole, projection.name)
                    #expect(
                        replicas[position].objects["int(\(id))"] == wanted,
                        "the stream of \(projection.body)")
                    if case .object(var members) = wanted {
                        members["$id"] = .int(id)
                        wanted = .object(members)
                    }
                    #expect(object == wanted, "the list of \(projection.body)")
                }
            }
        }
    }

    @Test(
        "fields beside objects are what plain arithmetic makes of them, and sorts are in their order"
    )
    func fieldsAndSorts() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("calculated fields"))
        let calculations = [
            "friendOf.@count", "friends.@count", "friendOf.@avg.age", "friends.@sum.age",
            "friendOf.@max.age", "pets.@min.weight", "pets.@sum.weight", "scores.@avg",
            "scores.@sum",
            "scores.@count", "tags.@count", "places.@count",
        ]
        let person = Self.schema.classes[0]
        for _ in 0..<SeededGenerator.scaled(5) {
            let server = ChangesServer(try TestServer(schema: Self.schema))
            let chosen = (calculations + calculations.map { "boss." + $0 }).filter { _ in
                Int.random(in: 0...2, using: &random) == 0
            }
            let fields = (["$id"] + chosen).joined(separator: ",")
            let stream = server.events(
                "/v1/classes/Person/changes", [("since", "start"), ("fields", fields)])
            var replica = ChangesReplica()
            for event in stream.events(to: "upToDate") { replica.apply(event) }
            for _ in 0..<60 {
                let (method, target, body) = Self.change(&random)
                _ = server.send(method, target, body)
            }
            let made = server.send("POST", "/v1/classes/Person/objects", #"{"_id":1000}"#)
            try #require(made.status == 201, "\(made.text)")
            while let event = stream.next() {
                replica.apply(event)
                if event.changes.contains("enter 1000") { break }
            }
            let model = Model(Self.schema, [], server.server)
            let objects = server.send(
                "GET", target("/v1/classes/Person/objects", [("fields", fields)]))
            for object in objects.json["objects"]?.elements ?? [] {
                let id = object["$id"]?.int ?? 0
                let whole = model.objects["Person"]?[id] ?? .null
                for path in chosen {
                    let isBehind = path.hasPrefix("boss.")
                    let shown =
                        isBehind
                        ? object["boss"]?[String(path.dropFirst(5))] ?? .null : object[path]
                    let names = path.split(separator: ".").map(String.init)
                    #expect(shown == model.calculate(whole, person, names), "\(path) of \(id)")
                }
                #expect(replica.objects["int(\(id))"] == object, "the stream of \(fields)")
            }
            for path in chosen where !path.hasPrefix("boss.") {
                let isDescending = Bool.random(using: &random)
                let page = server.send(
                    "GET",
                    target(
                        "/v1/classes/Person/objects",
                        [
                            ("sort", (isDescending ? "-" : "") + path + ",_id"),
                            ("fields", "$id,\(path)"),
                        ]))
                let keys = (page.json["objects"]?.elements ?? []).map { object in
                    (value: object[path]?.number ?? -.infinity, id: object["$id"]?.int ?? 0)
                }
                #expect(keys.count == model.objects["Person"]?.count)
                for (first, second) in zip(keys, keys.dropFirst()) {
                    let isInOrder =
                        first.value == second.value
                        ? first.id < second.id : (first.value > second.value) == isDescending
                    #expect(isInOrder, "\(path): \(page.text)")
                }
            }
        }
    }

    private static func lastPerson(_ shown: [Projection]) -> Int {
        shown.lastIndex { $0.className == "Person" } ?? 0
    }

    private static func lastPet(_ objects: [QueryJSON]) -> Int64 {
        objects.compactMap { $0["$id"]?.int }.max() ?? 0
    }
}

extension QueryJSON {
    /// A number of either kind.
    fileprivate var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }
}
