import Holdfast
import Testing

/// supported-types 2: each declaration of the property cheat sheet.
private enum SupportedTypes2 {
    static let objectTypes: [ObjectBase.Type] = [
        Everything.self, MyCustomObjectType.self, MyEmbeddedObjectType.self,
    ]

    class Everything: Object {
        @Persisted var boolName: Bool
        @Persisted var optBoolName: Bool?
        @Persisted var intName: Int
        @Persisted var optIntName: Int?
        @Persisted var int8Name: Int8
        @Persisted var optInt8Name: Int8?
        @Persisted var int16Name: Int16
        @Persisted var optInt16Name: Int16?
        @Persisted var int32Name: Int32
        @Persisted var optInt32Name: Int32?
        @Persisted var int64Name: Int64
        @Persisted var optInt64Name: Int64?
        @Persisted var floatName: Float
        @Persisted var optFloatName: Float?
        @Persisted var doubleName: Double
        @Persisted var optDoubleName: Double?
        @Persisted var stringName: String
        @Persisted var optStringName: String?
        @Persisted var dataName: Data
        @Persisted var optDataName: Data?
        @Persisted var dateName: Date
        @Persisted var optDateName: Date?
        @Persisted var decimalName: Decimal128
        @Persisted var optDecimalName: Decimal128?
        @Persisted var uuidName: UUID
        @Persisted var optUuidName: UUID?
        @Persisted var objectIdName: ObjectId
        @Persisted var optObjectIdName: ObjectId?
        @Persisted var listName: List<MyCustomObjectType>
        @Persisted var mutableSetName: MutableSet<String>
        @Persisted var mapName: Map<String, String>
        @Persisted var anyRealmValueName: AnyRealmValue
        @Persisted var optObjectPropertyName: MyCustomObjectType?
        @Persisted var optEmbeddedObjectPropertyName: MyEmbeddedObjectType?
        @Persisted var enumName: MyPersistableEnum
        @Persisted var optEnumName: MyPersistableEnum?
    }

    class MyCustomObjectType: Object {
        @Persisted var name: String
    }

    class MyEmbeddedObjectType: EmbeddedObject {
        @Persisted var name: String
    }

    enum MyPersistableEnum: Int, PersistableEnum {
        case first = 4
        case second = 5
    }
}

/// supported-types 3: the pairs of declarations that give the same default.
private enum SupportedTypes3 {
    static let objectTypes: [ObjectBase.Type] = [Lazy.self, Eager.self]

    class Lazy: Object {
        @Persisted var listProperty: List<Int>
        @Persisted var setProperty: MutableSet<String>
        @Persisted var mapProperty: Map<String, String>
        @Persisted var decimal: Decimal128
        @Persisted var value: UUID
        @Persisted var objectId: ObjectId
    }

    class Eager: Object {
        @Persisted var listProperty = List<Int>()
        @Persisted var setProperty = MutableSet<String>()
        @Persisted var mapProperty = Map<String, String>()
        @Persisted var decimal = Decimal128()
        @Persisted var value = UUID()
        @Persisted var objectId = ObjectId.generate()
        @Persisted var _id = ObjectId()
    }
}

@Suite("The samples of the page on supported types: the property cheat sheet")
struct CheatSheetSamples {
    @Test("each type of property has its default, managed as unmanaged")
    func hasDefaults() throws {
        typealias Sample = SupportedTypes2
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let before = Date()
        let object = Sample.Everything()
        for _ in ["unmanaged", "managed"] {
            #expect(!object.boolName && object.optBoolName == nil)
            #expect(object.intName == 0 && object.optIntName == nil)
            #expect(object.int8Name == 0 && object.optInt8Name == nil)
            #expect(object.int16Name == 0 && object.optInt16Name == nil)
            #expect(object.int32Name == 0 && object.optInt32Name == nil)
            #expect(object.int64Name == 0 && object.optInt64Name == nil)
            #expect(object.floatName == 0 && object.optFloatName == nil)
            #expect(object.doubleName == 0 && object.optDoubleName == nil)
            #expect(object.stringName.isEmpty && object.optStringName == nil)
            #expect(object.dataName.isEmpty && object.optDataName == nil)
            #expect(
                object.dateName > before - 1 && object.dateName < Date() + 1
                    && object.optDateName == nil)
            #expect(object.decimalName == 0 && object.optDecimalName == nil)
            #expect(object.uuidName == object.uuidName && object.optUuidName == nil)
            #expect(object.objectIdName != ObjectId() && object.optObjectIdName == nil)
            #expect(object.listName.isEmpty && object.mutableSetName.isEmpty)
            #expect(object.mapName.count == 0 && object.anyRealmValueName == .none)
            #expect(
                object.optObjectPropertyName == nil && object.optEmbeddedObjectPropertyName == nil)
            #expect(object.enumName == .first && object.optEnumName == nil)
            try realm.write { realm.add(object) }
        }
    }

    @Test("a value of each type is stored and read as it was assigned")
    func keepsValues() throws {
        typealias Sample = SupportedTypes2
        let realm = try Realm.ofSample("\(Sample.self) values", Sample.objectTypes)
        let managed = Sample.Everything()
        try realm.write { realm.add(managed) }
        let unmanaged = Sample.Everything()
        let uuid = UUID()
        let id = ObjectId.generate()
        let date = Date(timeIntervalSince1970: 1_700_000_000.5)
        func assign(_ object: Sample.Everything) {
            (object.boolName, object.optBoolName) = (true, false)
            (object.intName, object.optIntName) = (.min, .max)
            (object.int8Name, object.optInt8Name) = (.min, .max)
            (object.int16Name, object.optInt16Name) = (.min, .max)
            (object.int32Name, object.optInt32Name) = (.min, .max)
            (object.int64Name, object.optInt64Name) = (.min, .max)
            (object.floatName, object.optFloatName) = (1.5, -1.5)
            (object.doubleName, object.optDoubleName) = (0.1, -0.1)
            (object.stringName, object.optStringName) = ("naïve", "")
            (object.dataName, object.optDataName) = (Data([0, 255]), Data())
            (object.dateName, object.optDateName) = (date, date)
            (object.decimalName, object.optDecimalName) = ("1.10", -2)
            (object.uuidName, object.optUuidName) = (uuid, uuid)
            (object.objectIdName, object.optObjectIdName) = (id, id)
            object.listName.append(Sample.MyCustomObjectType(value: ["name": "listed"]))
            object.mutableSetName.insert("element")
            object.mapName["key"] = "value"
            object.anyRealmValueName = .int(1)
            object.optObjectPropertyName = Sample.MyCustomObjectType(value: ["name": "linked"])
            object.optEmbeddedObjectPropertyName = Sample.MyEmbeddedObjectType(value: [
                "name": "embedded"
            ])
            (object.enumName, object.optEnumName) = (.second, .first)
        }
        assign(unmanaged)
        try realm.write {
            assign(managed)
            realm.add(unmanaged)
        }
        for object in [managed, unmanaged] {
            #expect(object.boolName && object.optBoolName == false)
            #expect(object.intName == .min && object.optIntName == .max)
            #expect(object.int8Name == .min && object.optInt8Name == .max)
            #expect(object.int16Name == .min && object.optInt16Name == .max)
            #expect(object.int32Name == .min && object.optInt32Name == .max)
            #expect(object.int64Name == .min && object.optInt64Name == .max)
            #expect(object.floatName == 1.5 && object.optFloatName == -1.5)
            #expect(object.doubleName == 0.1 && object.optDoubleName == -0.1)
            #expect(object.stringName == "naïve" && object.optStringName?.isEmpty == true)
            #expect(object.dataName == Data([0, 255]) && object.optDataName == Data())
            #expect(object.dateName == date && object.optDateName == date)
            #expect(object.decimalName == "1.1" && object.optDecimalName == -2)
            #expect(object.uuidName == uuid && object.optUuidName == uuid)
            #expect(object.objectIdName == id && object.optObjectIdName == id)
            #expect(object.listName.map(\.name) == ["listed"])
            #expect(Array(object.mutableSetName) == ["element"] && object.mapName["key"] == "value")
            #expect(object.anyRealmValueName == .int(1))
            #expect(object.optObjectPropertyName?.name == "linked")
            #expect(object.optEmbeddedObjectPropertyName?.name == "embedded")
            #expect(object.enumName == .second && object.optEnumName == .first)
        }
    }

    @Test("a property declared by its type starts like one that is given an empty or a fresh value")
    func hasEqualDefaults() throws {
        typealias Sample = SupportedTypes3
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let (lazy, eager) = (Sample.Lazy(), Sample.Eager())
        #expect(Array(lazy.listProperty) == Array(eager.listProperty))
        #expect(Array(lazy.setProperty) == Array(eager.setProperty))
        #expect(lazy.mapProperty.keys == eager.mapProperty.keys)
        #expect(lazy.decimal == 0 && eager.decimal == 0)
        let (value, id) = (eager.value, eager.objectId)
        #expect(
            lazy.value != value && lazy.objectId != id && lazy.objectId != ObjectId()
                && id != ObjectId())
        #expect(Sample.Lazy().value != lazy.value && Sample.Eager().value != value)
        #expect(eager._id == ObjectId() && "\(eager._id)" == String(repeating: "0", count: 24))
        try realm.write {
            realm.add(lazy)
            realm.add(eager)
            lazy.listProperty.append(1)
            eager.listProperty.append(1)
        }
        #expect(eager.value == value && eager.objectId == id && eager._id == ObjectId())
        #expect(Array(lazy.listProperty) == [1] && Array(eager.listProperty) == [1])
    }
}
