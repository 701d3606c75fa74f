import Foundation
import Holdfast
import Testing

private final class Cell: EmbeddedObject {
    @Persisted var value = 0
}
private final class Sheet: Object {
    @Persisted(primaryKey: true) var id: UUID
    @Persisted(indexed: true) var name = ""
    @Persisted var flag: Bool?
    @Persisted var small: Int8
    @Persisted var single: Float
    @Persisted var number: Double
    @Persisted var decimal: Decimal128
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var token: ObjectId
    @Persisted var any: AnyRealmValue
    @Persisted var cell: Cell?
    @Persisted var sheets: List<Sheet>
    @Persisted var texts: List<String?>
    @Persisted var dates: MutableSet<Date>
    @Persisted var cells: Map<String, Cell?>
    @Persisted(originProperty: "sheets") var origins: LinkingObjects<Sheet>
    /// Not persisted.
    var cache = 1
}
private final class Alone: Object {
    @Persisted var value = 0
}

@Suite("The schema")
struct RealmSchemaTests {
    private func schema() throws -> Schema {
        try Realm.ofSample("\(UUID())", [Sheet.self, Cell.self]).schema
    }

    @Test("has the classes of the realm by their names")
    func classes() throws {
        let schema = try schema()
        #expect(Set(schema.objectSchema.map(\.className)) == ["Sheet", "Cell"])
        #expect(schema["Sheet"]?.className == "Sheet" && schema["Other"] == nil)
        #expect(schema["Cell"]?.properties.map(\.name) == ["value"])
        #expect("\(schema)".contains("Sheet {"))
    }

    @Test("has each property's name, type and kind")
    func properties() throws {
        let sheet = try #require(try schema()["Sheet"])
        let types: [(String, PropertyType)] = [
            ("id", .UUID), ("name", .string), ("flag", .bool), ("small", .int), ("single", .float),
            ("number", .double), ("decimal", .decimal128), ("data", .data), ("date", .date),
            ("token", .objectId), ("any", .any), ("cell", .object), ("sheets", .object),
            ("texts", .string), ("dates", .date), ("cells", .object), ("origins", .linkingObjects),
        ]
        #expect(sheet.properties.map(\.name) == types.map(\.0))
        #expect(sheet.properties.map(\.type) == types.map(\.1))
        #expect(sheet["cache"] == nil)
        func names(_ isSo: (Property) -> Bool) -> [String] {
            sheet.properties.filter(isSo).map(\.name)
        }
        #expect(names(\.isArray) == ["sheets", "texts", "origins"])
        #expect(names(\.isSet) == ["dates"] && names(\.isMap) == ["cells"])
        #expect(names(\.isOptional) == ["flag", "cell", "texts", "cells"])
        #expect(names(\.isIndexed) == ["id", "name"])
        #expect(sheet.primaryKeyProperty == sheet["id"])
        #expect(sheet["sheets"]?.objectClassName == "Sheet")
        #expect(sheet["cells"]?.objectClassName == "Cell" && sheet["name"]?.objectClassName == nil)
        #expect("\(try #require(sheet["flag"]))" == "flag: bool?")
    }

    @Test("is equal to another of the same classes")
    func equality() throws {
        let (one, two) = (try schema(), try schema())
        #expect(one == two && one["Sheet"] == Sheet().objectSchema)
        #expect(one["Sheet"] != one["Cell"] && one["Sheet"]?["id"] != one["Sheet"]?["name"])
        let other = try Realm.ofSample("\(UUID())", [Alone.self])
        #expect(other.schema != one && one["Cell"]?["value"] == other.schema["Alone"]?["value"])
        #expect(Set([one, two, other.schema]).count == 2)
    }
}
