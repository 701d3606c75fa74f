import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// The document that a store makes of its classes. `Tests/openapi` holds it to what the service answers.
@Suite struct OpenAPIDocumentTests {
    @Test("names stay as they are in letters and digits, and are spelt out otherwise")
    func identifiers() {
        #expect(OpenAPINames.identifier("City_2-a") == "City_2-a")
        #expect(OpenAPINames.identifier("my class") == "my_class")
        #expect(OpenAPINames.identifier("Größe") == "Gr_u00F6_u00DFe")
        #expect(OpenAPINames.identifier("𝒳") == "_u1D4B3")
        #expect(ObjectPath.segment("a b/ö") == "a%20b%2F%C3%B6")
        #expect(ObjectPath.segment("\n") == "%0A")
    }

    @Test("names that differ in case and signs alone get a number")
    func uniqueNames() {
        var names = OpenAPINames()
        let given = ["City", "city", "Ci_ty", "City2", "Town", "_", "-"].map { names.unique($0) }
        #expect(given == ["City", "city2", "Ci_ty3", "City22", "Town", "_", "-2"])
        #expect(Set(given.map(OpenAPINames.folded)).count == given.count)
    }

    @Test("what is derived from a class gives way to a class of that name")
    func classesComeFirst() {
        let classes = OpenAPIClasses(
            Schema(classes: [
                ObjectClass(name: "City", properties: []),
                ObjectClass(name: "CityInput", properties: []),
                ObjectClass(name: "HoldfastLink", properties: []),
            ]), reserved: OpenAPIComponents.schemaNames)
        #expect(classes["City"]?.object == "City")
        #expect(classes["City"]?.input == "CityInput2")
        #expect(classes["CityInput"]?.object == "CityInput")
        #expect(classes["HoldfastLink"]?.object == "HoldfastLink2")
    }

    @Test(
        "a class that is named like a type of a generator's has another name in clients, and keeps its own"
    )
    func namesOfGenerators() throws {
        let names = ["Response", "Response2", "HTTPStatus", "unset", "City", "Respons"]
        let classes = OpenAPIClasses(
            Schema(classes: names.map { ObjectClass(name: $0, properties: []) }),
            reserved: OpenAPIComponents.schemaNames)
        #expect(classes.all.map(\.object) == names)
        #expect(
            classes.all.map(\.clientName) == ["Response3", nil, "HTTPStatus2", "unset2", nil, nil])
        let buffer = ByteBuffer()
        OpenAPIDocument(
            schema: Schema(classes: [ObjectClass(name: "Response", properties: [])]),
            components: OpenAPIComponents(pageObjectCountMax: 9, pageObjectCountDefault: 7),
            usesTokens: false
        ).write(to: JSONWriter(buffer))
        let parser = JSONParser()
        let root = try parser.parse(buffer.bytes)
        let schemas = root.member(named: "components")?.member(named: "schemas")
        let response = try #require(schemas?.member(named: "Response"))
        #expect(response.member(named: "title")?.string == "Response2")
        #expect(schemas?.member(named: "ResponsePatch")?.member(named: "title") == nil)
    }

    @Test("the document of every schema is JSON, names nothing twice and leads nowhere else")
    func randomSchemas() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("openapi"))
        for _ in 0..<100 {
            var source = RandomSchema()
            let schema = Schema(revision: 1, classes: source.make(&random))
            try #require(schema.faults() == [])
            var projections = RandomProjections(schema)
            for _ in 0..<8 { projections.make(nil, &random) }
            let buffer = ByteBuffer()
            OpenAPIDocument(
                schema: schema, projections: projections.made,
                components: OpenAPIComponents(pageObjectCountMax: 9, pageObjectCountDefault: 7),
                usesTokens: Bool.random(using: &random)
            ).write(to: JSONWriter(buffer))
            let parser = JSONParser()
            let root = try parser.parse(buffer.bytes)
            let components = try #require(root.member(named: "components"))
            var references: Set<String> = []
            collect(root, &references)
            for reference in references {
                let parts = reference.split(separator: "/").dropFirst(2).map { String($0) }
                let kind = try #require(parts.count == 2 ? parts.first : nil)
                let found = components.member(named: kind)?.member(named: parts[1])
                #expect(found != nil, "\(reference)")
            }
        }
    }

    private func collect(_ value: JSONValue, _ references: inout Set<String>) {
        let names = value.members.map { String(decoding: $0.name, as: UTF8.self) }
        #expect(Set(names).count == names.count, "\(names)")
        for member in value.members {
            if member.isNamed("$ref"), let text = member.value.string {
                references.insert(text)
            }
            collect(member.value, &references)
        }
        for element in value.elements { collect(element, &references) }
    }
}
