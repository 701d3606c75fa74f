import HoldfastObjectModel
import Testing

@Suite("What a schema must keep to")
struct SchemaTests {
    private static func int(_ name: String) -> Property {
        Property(name: name, type: .single(.scalar(.int)))
    }

    private static func owner(_ property: Property, kind: ObjectClass.Kind = .object) -> Schema {
        Schema(classes: [
            ObjectClass(name: "A", kind: kind, properties: [property]),
            ObjectClass(name: "B", properties: [Property(name: "a", type: .list(.object("A")))]),
            ObjectClass(name: "E", kind: .embedded, properties: [int("n")]),
        ])
    }

    /// The faults, written `class.property`.
    private func places(_ schema: Schema) -> [String] {
        schema.faults().map { "\($0.className ?? "").\($0.property ?? "")" }
    }

    @Test("a schema with everything that is allowed has no fault")
    func sound() {
        let scalars = ScalarType.allCases.flatMap { type in
            [
                Property(
                    name: "\(type)", type: .single(.scalar(type)), isIndexed: type.canBeIndexed),
                Property(
                    name: "\(type)Optional", type: .single(.scalar(type)),
                    isOptional: type != .mixed),
                Property(
                    name: "\(type)List", type: .list(.scalar(type)), isOptional: type != .mixed),
                Property(name: "\(type)Set", type: .set(.scalar(type))),
            ]
        }
        let schema = Schema(classes: [
            ObjectClass(
                name: "A", primaryKey: "uuid",
                properties: scalars + [
                    Property(name: "link", type: .single(.object("A")), isOptional: true),
                    Property(name: "links", type: .list(.object("A"))),
                    Property(name: "set", type: .set(.object("A"))),
                    Property(name: "part", type: .single(.object("E")), isOptional: true),
                    Property(name: "parts", type: .list(.object("E"))),
                    Property(
                        name: "back", type: .linkingObjects(className: "A", property: "links")),
                    Property(name: "owners", type: .linkingObjects(className: "E", property: "a")),
                ]),
            ObjectClass(
                name: "E", kind: .embedded,
                properties: [
                    Property(name: "a", type: .single(.object("A")), isOptional: true),
                    Property(name: "inner", type: .list(.object("E"))),
                ]),
        ])
        #expect(schema.faults() == [])
        #expect(Schema().faults() == [])
    }

    @Test(
        "names begin with a letter or _, go on with letters, digits, _, - and blanks, of any script"
    )
    func names() {
        for name in ["a", "_", "_id", "a b", "a-b", "Größe", "名前", "имя2", "é", "A_1-x y"] {
            #expect(places(Self.owner(Self.int(name))) == [], "\(name)")
        }
        for name in ["", " ", " a", "1a", "-a", "a.b", "a/b", "$a", "a\n", "a\0", "😀", "a\u{2028}"]
        {
            #expect(places(Self.owner(Self.int(name))) == ["A.\(name)"], "\(name)")
            let named = Schema(classes: [ObjectClass(name: name, properties: [])])
            #expect(places(named) == ["\(name)."], "\(name)")
        }
    }

    @Test(
        "names are bounded in bytes of UTF-8, properties and classes in number: at the limit, and above"
    )
    func limits() {
        let class57 = String(repeating: "é", count: 28) + "a"
        let property63 = String(repeating: "é", count: 31) + "a"
        #expect(places(Schema(classes: [ObjectClass(name: class57, properties: [])])) == [])
        #expect(
            places(Schema(classes: [ObjectClass(name: class57 + "a", properties: [])])).count == 1)
        #expect(places(Self.owner(Self.int(property63))) == [])
        #expect(places(Self.owner(Self.int(property63 + "a"))) == ["A.\(property63)a"])
        let many = (0...1000).map { Self.int("p\($0)") }
        let full = ObjectClass(name: "A", properties: Array(many.dropLast()))
        #expect(Schema(classes: [full]).faults() == [])
        #expect(places(Schema(classes: [ObjectClass(name: "A", properties: many)])) == ["A."])
        let classes = (0...1000).map { ObjectClass(name: "C\($0)", properties: []) }
        #expect(Schema(classes: Array(classes.dropLast())).faults() == [])
        #expect(places(Schema(classes: classes)) == ["."])
    }

    @Test("names are unique, and those that differ in their bytes alone are others")
    func duplicates() {
        let twice = ObjectClass(name: "A", properties: [Self.int("\u{E9}"), Self.int("\u{E9}")])
        #expect(places(Schema(classes: [twice])) == ["A.\u{E9}"])
        let two = ObjectClass(name: "A", properties: [Self.int("\u{E9}"), Self.int("e\u{301}")])
        #expect(places(Schema(classes: [two])) == [])
        #expect(two != ObjectClass(name: "A", properties: two.properties.reversed()))
        let one = ObjectClass(name: "A", properties: [])
        #expect(places(Schema(classes: [one, one])) == ["A."])
    }

    @Test(
        "a primary key is a property of the class that is a single int of any width, string, objectId or uuid"
    )
    func primaryKeys() {
        for type in ScalarType.allCases {
            for isOptional in [false, true] {
                let schema = Schema(classes: [
                    ObjectClass(
                        name: "A", primaryKey: "k",
                        properties: [
                            Property(
                                name: "k", type: .single(.scalar(type)), isOptional: isOptional)
                        ])
                ])
                let isAllowed = [.int, .string, .objectID, .uuid].contains(type.widened)
                #expect(places(schema) == (isAllowed ? [] : ["A.k"]), "\(type)")
            }
        }
        let list = Property(name: "k", type: .list(.scalar(.int)))
        #expect(
            places(Schema(classes: [ObjectClass(name: "A", primaryKey: "k", properties: [list])]))
                == ["A.k"])
        #expect(
            places(Schema(classes: [ObjectClass(name: "A", primaryKey: "x", properties: [list])]))
                == ["A."])
        let embedded = ObjectClass(
            name: "A", kind: .embedded, primaryKey: "k", properties: [Self.int("k")])
        #expect(places(Schema(classes: [embedded])) == ["A."])
    }

    @Test("links name a class of the schema, are optional when single, and never when many")
    func links() {
        func property(_ type: PropertyType, isOptional: Bool) -> Property {
            Property(name: "p", type: type, isOptional: isOptional)
        }
        for target in ["A", "E"] {
            let element = ElementType.object(target)
            #expect(places(Self.owner(property(.single(element), isOptional: true))) == [])
            #expect(places(Self.owner(property(.single(element), isOptional: false))) == ["A.p"])
            #expect(places(Self.owner(property(.list(element), isOptional: false))) == [])
            #expect(places(Self.owner(property(.list(element), isOptional: true))) == ["A.p"])
            let set = places(Self.owner(property(.set(element), isOptional: false)))
            #expect(set == (target == "E" ? ["A.p"] : []))
        }
        #expect(
            places(Self.owner(property(.single(.object("X")), isOptional: true))) == ["A.p"])
    }

    @Test("an inverse link names a property that links back, and has nothing else")
    func inverseLinks() {
        func back(_ className: String, _ property: String) -> Property {
            Property(name: "p", type: .linkingObjects(className: className, property: property))
        }
        #expect(places(Self.owner(back("B", "a"))) == [])
        #expect(places(Self.owner(back("X", "a"))) == ["A.p"])
        #expect(places(Self.owner(back("B", "x"))) == ["A.p"])
        #expect(places(Self.owner(back("E", "n"))) == ["A.p"])
        #expect(places(Self.owner(back("A", "p"))) == ["A.p"])
        // An embedded class may name the property that holds it.
        #expect(places(Self.owner(back("B", "a"), kind: .embedded)) == [])
        var odd = back("B", "a")
        odd.isOptional = true
        #expect(places(Self.owner(odd)) == ["A.p"])
        odd = back("B", "a")
        odd.isIndexed = true
        #expect(places(Self.owner(odd)) == ["A.p"])
    }

    @Test("an index needs a single value of an indexable type in a class that is not embedded")
    func indexes() {
        for type in ScalarType.allCases {
            let property = Property(name: "p", type: .single(.scalar(type)), isIndexed: true)
            #expect(places(Self.owner(property)) == (type == .data ? ["A.p"] : []), "\(type)")
            #expect(places(Self.owner(property, kind: .embedded)) == ["A.p"])
            let list = Property(name: "p", type: .list(.scalar(type)), isIndexed: true)
            #expect(places(Self.owner(list)) == ["A.p"])
        }
        let link = Property(
            name: "p", type: .single(.object("B")), isOptional: true, isIndexed: true)
        #expect(places(Self.owner(link)) == ["A.p"])
    }

    @Test("a default fits its property")
    func defaults() {
        let values: [ScalarType: Value] = [
            .bool: .bool(true), .int: .int(1), .float: .float(1), .double: .double(1),
            .decimal128: .decimal(Decimal128(1)), .string: .string(""),
            .data: .data([]), .date: .date(Timestamp(seconds: 0, nanoseconds: 0)),
            .objectID: .objectID(ObjectID(high: 0, low: 0)), .uuid: .uuid(UUID128(high: 0, low: 0)),
        ]
        func fits(_ type: PropertyType, _ value: DefaultValue, isOptional: Bool = false) -> Bool {
            let property = Property(
                name: "p", type: type, isOptional: isOptional, defaultValue: value)
            return places(Self.owner(property)) == []
        }
        let widths: [(ScalarType, Int64)] = [
            (.int8, 127), (.int16, 32_767), (.int32, 2_147_483_647),
        ]
        for (type, most) in widths {
            #expect(fits(.single(.scalar(type)), .constant(.int(most))))
            #expect(fits(.single(.scalar(type)), .constant(.int(-most - 1))))
            #expect(!fits(.single(.scalar(type)), .constant(.int(most + 1))))
            #expect(!fits(.single(.scalar(type)), .constant(.int(-most - 2))))
        }
        for (_, value) in values { #expect(fits(.single(.scalar(.mixed)), .constant(value))) }
        for type in ScalarType.allCases where type != .mixed {
            for (other, value) in values {
                #expect(fits(.single(.scalar(type)), .constant(value)) == (type.widened == other))
            }
            #expect(fits(.single(.scalar(type)), .constant(.null), isOptional: true))
            #expect(!fits(.single(.scalar(type)), .constant(.null)))
            #expect(fits(.single(.scalar(type)), .now) == (type == .date))
            #expect(fits(.single(.scalar(type)), .uuid) == (type == .uuid))
            #expect(fits(.single(.scalar(type)), .objectID) == (type == .objectID))
            #expect(!fits(.list(.scalar(type)), .constant(.int(1))))
            #expect(fits(.list(.scalar(type)), .constant(.list([]))))
        }
        let link = Value.link(className: "B", key: .int(1))
        for (value, isFit) in [
            (Value.null, true), (.list([.int(1), .map([Value.MapEntry("k", .null)])]), true),
            (link, false), (.list([.map([Value.MapEntry("k", link)])]), false),
            (.map([Value.MapEntry("a.b", .null)]), false),
            (.map([Value.MapEntry("a", .null), Value.MapEntry("a", .null)]), false),
        ] {
            #expect(fits(.single(.scalar(.mixed)), .constant(value)) == isFit, "\(value)")
        }
        var deep = Value.list([])
        for _ in 1..<ModelLimits.mixedDepthMax { deep = .list([deep]) }
        #expect(fits(.single(.scalar(.mixed)), .constant(deep)))
        #expect(!fits(.single(.scalar(.mixed)), .constant(.list([deep]))))
        #expect(fits(.single(.object("B")), .constant(.null), isOptional: true))
        #expect(!fits(.single(.object("B")), .constant(.int(1)), isOptional: true))
    }

    @Test("every fault is told, with its class and property")
    func several() {
        let schema = Schema(classes: [
            ObjectClass(name: "1", primaryKey: "x", properties: [Self.int("2")]),
            ObjectClass(name: "B", properties: [Property(name: "l", type: .list(.object("X")))]),
        ])
        #expect(places(schema) == ["1.", "1.2", "1.", "B.l"])
        #expect(schema.faults().allSatisfy { !$0.detail.isEmpty })
    }
}
