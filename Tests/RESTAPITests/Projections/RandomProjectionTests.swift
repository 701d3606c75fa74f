import ObjectModel
import TestSupport
import Testing

@Suite("Random projections")
struct RandomProjectionTests {
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
        switch Int.random(in: 0...9, using: &random) {
        case 0: member = "\"firstName\":\(name())"
        case 1: member = "\"lastName\":\(name())"
        case 2: member = "\"age\":\(Int.random(in: 1...9, using: &random))"
        case 3: member = "\"home\":" + (Bool.random(using: &random) ? address() : "null")
        case 4: member = "\"places\":[\(address()),\(address())]"
        case 5: member = "\"friends\":[\(person()),\(person())]"
        case 6: member = "\"boss\":" + (Bool.random(using: &random) ? person() : "null")
        case 7: member = "\"tags\":[\(name()),null]"
        case 8: member = "\"pets\":[{\"name\":\(name()),\"vet\":\(person())}]"
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
            var projections = RandomProjections(Projections.schema)
            projections.make("Pet", &random)
            for _ in 0..<6 { projections.make(nil, &random) }
            for _ in 0..<3 { projections.make("Person", &random) }
            let server = ChangesServer(try TestServer(schema: Projections.schema))
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
            let model = Model(Projections.schema, projections.made, server.server)
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

    private static func lastPerson(_ shown: [Projection]) -> Int {
        shown.lastIndex { $0.className == "Person" } ?? 0
    }

    private static func lastPet(_ objects: [QueryJSON]) -> Int64 {
        objects.compactMap { $0["$id"]?.int }.max() ?? 0
    }
}
