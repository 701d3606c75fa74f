import HoldfastBytes
import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows

/// A small world of people and dogs, as plain Swift objects and as rows.
final class Person {
    var key: UInt64 = 0
    var id: Int64
    var name: String?
    var age: Int64?
    var score: Double?
    var active: Bool?
    var born: Timestamp?
    var oid: ObjectID?
    var uid: UUID128?
    var blob: [UInt8]?
    var home: Address?
    var places: [Address] = []
    var friend: Person?
    var friends: [Person] = []
    var crew: [Person] = []
    var ints: [Int64?] = []
    var names: [String?] = []
    var tags: [String] = []

    init(_ id: Int64) { self.id = id }
}

final class Address {
    var city: String?
    var zip: Int64?
    var owner: Person?

    init(city: String? = nil, zip: Int64? = nil, owner: Person? = nil) {
        self.city = city
        self.zip = zip
        self.owner = owner
    }
}

final class Dog {
    var key: UInt64 = 0
    var name: String
    var master: Person?

    init(_ name: String, master: Person?) {
        self.name = name
        self.master = master
    }
}

/// People and dogs with their rows; a source for the evaluation of queries.
final class World: ObjectSource {
    /// Without limits, unless a test says otherwise.
    let budget = Budget()

    /// Everything lies in rows.
    func overflowChunk(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? { nil }

    static let schema = compile(
        Schema(classes: [
            ObjectClass(
                name: "Person", primaryKey: "_id",
                properties: [
                    Property(name: "_id", type: .single(.scalar(.int))),
                    Property(name: "name", type: .single(.scalar(.string)), isOptional: true),
                    Property(name: "age", type: .single(.scalar(.int)), isOptional: true),
                    Property(name: "score", type: .single(.scalar(.double)), isOptional: true),
                    Property(name: "active", type: .single(.scalar(.bool)), isOptional: true),
                    Property(name: "born", type: .single(.scalar(.date)), isOptional: true),
                    Property(name: "oid", type: .single(.scalar(.objectID)), isOptional: true),
                    Property(name: "uid", type: .single(.scalar(.uuid)), isOptional: true),
                    Property(name: "blob", type: .single(.scalar(.data)), isOptional: true),
                    Property(name: "home", type: .single(.object("Address")), isOptional: true),
                    Property(name: "places", type: .list(.object("Address"))),
                    Property(name: "friend", type: .single(.object("Person")), isOptional: true),
                    Property(name: "friends", type: .list(.object("Person"))),
                    Property(name: "crew", type: .set(.object("Person"))),
                    Property(name: "ints", type: .list(.scalar(.int)), isOptional: true),
                    Property(name: "names", type: .list(.scalar(.string)), isOptional: true),
                    Property(name: "tags", type: .set(.scalar(.string))),
                    Property(
                        name: "fans",
                        type: .linkingObjects(className: "Person", property: "friend")),
                ]),
            ObjectClass(
                name: "Address", kind: .embedded,
                properties: [
                    Property(name: "city", type: .single(.scalar(.string)), isOptional: true),
                    Property(name: "zip", type: .single(.scalar(.int)), isOptional: true),
                    Property(name: "owner", type: .single(.object("Person")), isOptional: true),
                ]),
            ObjectClass(
                name: "Dog", primaryKey: "name",
                properties: [
                    Property(name: "name", type: .single(.scalar(.string))),
                    Property(name: "master", type: .single(.object("Person")), isOptional: true),
                    Property(name: "in", type: .single(.scalar(.int)), isOptional: true),
                    Property(name: "first name", type: .single(.scalar(.string)), isOptional: true),
                    Property(name: "matches", type: .single(.scalar(.int)), isOptional: true),
                ]),
        ]))

    private(set) var people: [Person]
    private(set) var dogs: [Dog]
    private var rows: [[UnsafeMutableRawBufferPointer]] = [[], [], []]

    init(people: [Person], dogs: [Dog] = []) {
        self.people = people
        self.dogs = dogs
        for (index, person) in people.enumerated() { person.key = UInt64(index) }
        for (index, dog) in dogs.enumerated() { dog.key = UInt64(index) }
        rows[0] = people.map { keep(Self.row($0)) }
        rows[2] = dogs.map { keep(Self.row($0)) }
    }

    deinit {
        for row in rows.joined() { row.deallocate() }
        // People who know each other would keep each other in memory.
        for person in people {
            person.friend = nil
            person.friends = []
            person.crew = []
            person.home = nil
            person.places = []
        }
    }

    private func keep(_ bytes: [UInt8]) -> UnsafeMutableRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyBytes(from: bytes)
        return copy
    }

    func row(classIndex: Int, key: UInt64) -> RowView? {
        guard Int(key) < rows[classIndex].count else { return nil }
        return RowView(UnsafeRawBufferPointer(rows[classIndex][Int(key)]))
    }

    func forEachOrigin(
        ofClass classIndex: Int, key: UInt64, originClass: Int, member: Int,
        _ body: (_ originClass: Int, _ originKey: UInt64) -> Bool
    ) {
        let property = Self.schema.classes[originClass].definition.properties[member].name
        for origin in origins(of: people[Int(key)], originClass, property)
        where !body(originClass == 2 ? 2 : 0, origin) { return }
    }

    /// The keys of the objects that link to `person`, once per link.
    func origins(of person: Person, _ originClass: Int, _ property: String) -> [UInt64] {
        if originClass == 2 { return dogs.filter { $0.master === person }.map(\.key) }
        return people.flatMap { origin in
            let targets: [Person?] =
                switch property {
                case "friend": [origin.friend]
                case "friends": origin.friends
                case "crew": origin.crew
                case "owner": [origin.home?.owner] + origin.places.map(\.owner)
                default: []
                }
            return targets.filter { $0 === person }.map { _ in origin.key }
        }
    }

    func incomingLinkCount(classIndex: Int, key: UInt64) -> Int {
        guard classIndex == 0 else { return 0 }
        let person = people[Int(key)]
        return origins(of: person, 2, "master").count
            + ["friend", "friends", "crew", "owner"].map { origins(of: person, 0, $0).count }
            .reduce(0, +)
    }

    func objectKey(classIndex: Int, primaryKey: OrderedKey) -> UInt64? {
        if classIndex == 2 {
            return dogs.first { OrderedKey(.string($0.name)) == primaryKey }?.key
        }
        return people.first { OrderedKey(.int($0.id)) == primaryKey }?.key
    }
}

extension World {
    /// Compiles a schema whose classes have one layout each.
    static func compile(_ definition: Schema) -> RowSchema {
        var number: UInt32 = 1
        func index(_ name: String) -> Int {
            definition.classes.firstIndex { $0.name == name } ?? -1
        }
        let classes = definition.classes.enumerated().map { position, objectClass in
            let members = objectClass.properties.map { property in
                var member = RowClass.Member(
                    number: number, storage: FieldStorage(.none, .link),
                    isOptional: property.isOptional, classIndex: -1, originProperty: -1,
                    isIndexed: property.isIndexed)
                number += 1
                func storage(_ element: ElementType) -> ElementStorage {
                    switch element {
                    case .scalar(let scalar): return ElementStorage(scalar)
                    case .object(let name):
                        member.classIndex = index(name)
                        return definition.classes[index(name)].kind == .embedded ? .embedded : .link
                    }
                }
                switch property.type {
                case .single(let element): member.storage = FieldStorage(.single, storage(element))
                case .list(let element): member.storage = FieldStorage(.list, storage(element))
                case .set(let element): member.storage = FieldStorage(.set, storage(element))
                case .map(let element): member.storage = FieldStorage(.map, storage(element))
                case .linkingObjects(let name, let origin):
                    member.classIndex = index(name)
                    member.originProperty =
                        definition.classes[index(name)].propertyIndex(named: origin) ?? -1
                }
                return member
            }
            let layout = RowLayout(
                number: 1, properties: members.map { ($0.number, $0.storage) })
            return RowClass(
                index: position, number: UInt32(position + 1), definition: objectClass,
                members: members, layouts: [layout], linkingMembers: [])
        }
        return RowSchema(definition: definition, classes: classes)
    }

    /// What is stored in one slot.
    private enum Stored {
        case null
        case inline([UInt8])
        case heap([UInt8])
    }

    private static func little<T: BitwiseCopyable>(_ value: T) -> [UInt8] {
        withUnsafeBytes(of: value) { Array($0) }
    }

    private static func store(_ value: Value?) -> Stored {
        switch value {
        case nil, .null?, .link?, .list?, .map?: .null
        case .bool(let value)?: .inline([value ? 1 : 0])
        case .int(let value)?: .inline(little(value))
        case .double(let value)?: .inline(little(value))
        case .float(let value)?: .inline(little(value))
        case .decimal(let value)?: .inline(little(value.low) + little(value.high))
        case .string(let value)?: .heap(Array(value.utf8))
        case .data(let value)?: .heap(value)
        case .date(let value)?: .inline(little(value.seconds) + little(value.nanoseconds))
        case .objectID(let value)?:
            .inline(little(value.high.bigEndian) + little(value.low.bigEndian))
        case .uuid(let value)?:
            .inline(little(value.high.bigEndian) + little(value.low.bigEndian))
        }
    }

    private static func store(link target: Person?) -> Stored {
        target.map { .inline(little($0.key)) } ?? .null
    }

    private static func collection(_ elements: [Stored]) -> Stored {
        var bytes = little(UInt32(elements.count))
        var bitmap = [UInt8](repeating: 0, count: (elements.count + 7) / 8)
        var ends: [UInt8] = []
        var values: [UInt8] = []
        var isHeap = false
        for (index, element) in elements.enumerated() {
            switch element {
            case .null: bitmap[index / 8] |= 1 << UInt8(index % 8)
            case .inline(let bytes): values += bytes
            case .heap(let bytes):
                isHeap = true
                values += bytes
            }
            if case .null = element,
                !elements.contains(where: { if case .heap = $0 { true } else { false } })
            {
                values += [UInt8](repeating: 0xEE, count: 8)
            }
            ends += little(UInt32(values.count))
        }
        let hasNull = bitmap.contains { $0 != 0 }
        bytes += little(hasNull ? 1 : 0 as UInt32)
        if hasNull { bytes += bitmap }
        if isHeap { bytes += ends }
        return .heap(bytes + values)
    }

    private static func row(_ classIndex: Int, _ fields: [Stored]) -> [UInt8] {
        let layout = schema.classes[classIndex].layout
        precondition(layout.slots.count == fields.count)
        var bytes = [UInt8](repeating: 0, count: layout.fixedByteCount)
        func put(_ value: [UInt8], _ offset: Int) {
            bytes.replaceSubrange(offset..<offset + value.count, with: value)
        }
        for (bit, field) in fields.enumerated() {
            switch field {
            case .null: bytes[16 + bit / 8] |= 1 << UInt8(bit % 8)
            case .inline(let value): put(value, layout.slots[bit].offset)
            case .heap(let value):
                put(
                    little(UInt32(bytes.count)) + little(UInt32(value.count)),
                    layout.slots[bit].offset)
                bytes += value
            }
        }
        put(little(layout.number), 0)
        put(little(UInt32(bytes.count)), 4)
        return bytes
    }

    private static func row(_ address: Address) -> [UInt8] {
        row(
            1,
            [
                store(address.city.map(Value.string)), store(address.zip.map(Value.int)),
                store(link: address.owner),
            ])
    }

    private static func row(_ dog: Dog) -> [UInt8] {
        row(2, [store(.string(dog.name)), store(link: dog.master), .null, .null, .null])
    }

    private static func row(_ person: Person) -> [UInt8] {
        row(
            0,
            [
                store(.int(person.id)), store(person.name.map(Value.string)),
                store(person.age.map(Value.int)), store(person.score.map(Value.double)),
                store(person.active.map(Value.bool)), store(person.born.map(Value.date)),
                store(person.oid.map(Value.objectID)), store(person.uid.map(Value.uuid)),
                store(person.blob.map(Value.data)), person.home.map { .heap(row($0)) } ?? .null,
                collection(person.places.map { .heap(row($0)) }), store(link: person.friend),
                collection(person.friends.map { store(link: $0) }),
                collection(person.crew.sorted { $0.key < $1.key }.map { store(link: $0) }),
                collection(person.ints.map { store($0.map(Value.int)) }),
                names(person.names),
                names(
                    person.tags.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }),
            ])
    }

    /// Strings always have a table of ends, even when all of them are null.
    private static func names(_ names: [String?]) -> Stored {
        if names.contains(where: { $0 != nil }) || names.isEmpty {
            return collection(names.map { store($0.map(Value.string)) })
        }
        let bitmap = [UInt8](repeating: 0xFF, count: (names.count + 7) / 8)
        return .heap(
            little(UInt32(names.count)) + little(1 as UInt32) + bitmap
                + [UInt8](repeating: 0, count: 4 * names.count))
    }
}

extension World {
    /// The identifiers of the people that satisfy a query.
    func ids(
        _ text: String, _ arguments: [QueryArgument] = []
    ) throws -> [Int64] {
        let query = try CompiledQuery.compile(
            text: text, arguments: arguments, rootClass: 0, schema: Self.schema)
        let matcher = query.predicate.makeMatcher(Self.schema)
        return people.filter { person in
            row(classIndex: 0, key: person.key).map {
                matcher.matches(row: $0, key: person.key, source: self)
            } ?? false
        }.map(\.id)
    }
}
