import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON

/// The schema of an app that uses Realm JS, as JSON: an array of object schemas
/// (`{"name","primaryKey","embedded","asymmetric","properties"}`), or `{"schema":[…]}`.
/// https://www.mongodb.com/docs/atlas/device-sdks/sdk/node/model-data/define-a-realm-object-model/
package enum RealmJSSchema {
    /// Converts a schema to the form of `PUT /v1/schema`. Types and names are left to its reader to check.
    ///
    /// - Throws: ``RequestFault`` when the text is not JSON or of another form.
    package static func converted(_ text: [UInt8]) throws(RequestFault) -> [UInt8] {
        let parser = JSONParser()
        // Parsed values are valid as long as their parser exists.
        defer { withExtendedLifetime(parser) {} }
        let root = try parser.value(of: text)
        let classes = root.member(named: "schema") ?? root
        guard classes.kind == .array, classes.elements.allSatisfy({ $0.kind == .object }) else {
            throw RequestFault(
                .invalid, "invalid-schema",
                "A schema of Realm JS is an array of object schemas: [{\"name\":…,\"properties\":{…}},…]. "
                    + "For classes written in JavaScript, write their static 'schema' with "
                    + "JSON.stringify.")
        }
        let buffer = ByteBuffer(capacity: 2 * text.count)
        let writer = JSONWriter(buffer)
        writer.object { root in root.member("classes").array(of: classes.elements) { write($0, $1) }
        }
        return buffer.array
    }

    private static func write(_ objectClass: JSONValue, _ writer: JSONWriter) {
        writer.object { object in
            for member in objectClass.members {
                let name = String(decoding: member.name, as: UTF8.self)
                switch name {
                case "embedded", "asymmetric":
                    if member.value.bool == true { object.member("kind").string(name) }
                case "properties" where member.value.kind == .object:
                    object.member("properties").object { properties in
                        for property in member.value.members {
                            let name = String(decoding: property.name, as: UTF8.self)
                            write(
                                property: property.value, named: property.name,
                                properties.member(named: name))
                        }
                    }
                case "ctor", "constructor": break
                default: object.member(named: name).copy(member.value)
                }
            }
        }
    }

    // MARK: Properties

    private static func write(
        property: JSONValue, named key: UnsafeRawBufferPointer, _ writer: JSONWriter
    ) {
        if let text = property.string { return writer.string(type(text, of: nil)) }
        guard property.kind == .object, let text = property.member(named: "type")?.string else {
            return writer.copy(property)
        }
        let objectType = property.member(named: "objectType")?.string
        writer.object { object in
            if text == "linkingObjects" {
                object.member("type").string(text)
                if let objectType { object.member("class").string(objectType) }
            } else {
                let isOptional = property.member(named: "optional")?.bool == true
                object.member("type").string(type(text, of: objectType, isOptional: isOptional))
            }
            for member in property.members {
                let name = String(decoding: member.name, as: UTF8.self)
                switch name {
                // They are in the type; `presentation` says how to use an int.
                case "type", "objectType", "optional", "presentation": break
                // `realm.schema` repeats it in each property.
                case "name" where member.value.stringBytes?.elementsEqual(key) == true: break
                case "indexed" where member.value.string == "full-text":
                    object.member("indexed").string("fulltext")
                default: object.member(named: name).copy(member.value)
                }
            }
        }
    }

    /// The suffixes of collections by their names and by their shorthand alone.
    private static let collections = [
        "list": "[]", "[]": "[]", "set": "<>", "<>": "<>", "dictionary": "{}", "{}": "{}",
    ]

    /// Returns a type in shorthand.
    ///
    /// - `objectType`: The type of a collection's elements, or the class of a link.
    /// - `isOptional`: Whether values, or a collection's elements, may be null.
    private static func type(
        _ text: String, of objectType: String?, isOptional: Bool = false
    ) -> String {
        func element(_ name: String) -> String {
            isOptional && !name.hasSuffix("?") && name != "mixed" ? name + "?" : name
        }
        // A collection of nothing stated is one of mixed values.
        if let suffix = collections[text] { return element(single(objectType ?? "mixed")) + suffix }
        for suffix in ["[]", "<>", "{}"] where text.hasSuffix(suffix) {
            let inner = String(text.dropLast(2))
            return element(single(inner == "object" ? objectType ?? inner : inner)) + suffix
        }
        let isStatedOptional = text.hasSuffix("?")
        let name = isStatedOptional ? String(text.dropLast()) : text
        let type = single(name == "object" ? objectType ?? name : name)
        return isStatedOptional && type != "mixed" ? type + "?" : element(type)
    }

    /// Returns the name of a single value's type; a counter is an int.
    private static func single(_ name: String) -> String {
        switch name {
        case "counter": "int"
        case "counter?": "int?"
        case "mixed?": "mixed"
        default: name
        }
    }
}
