import JSON
import ObjectModel

/// What the document says of the values of one scalar type.
struct OpenAPIScalar {
    /// The schema of a value, as one of the document's own schemas or as JSON Schema's type.
    enum Form {
        /// A type of JSON Schema, and what else holds: members as JSON, each with a comma before it.
        case type(StaticString, _ more: StaticString)
        /// A shared schema, by its reference.
        case shared(StaticString)
        /// Anything.
        case any
    }

    /// The schema of a value.
    let form: Form
    /// A value, as JSON.
    let example: StaticString

    /// The one place that knows each type.
    init(_ type: ScalarType) {
        switch type {
        case .bool: self.init(.type("boolean", ""), "true")
        case .int, .int64: self.init(.type("integer", ##","format":"int64""##), "42")
        case .int8:
            self.init(
                .type("integer", ##","format":"int8","minimum":-128,"maximum":127"##), "42")
        case .int16:
            self.init(
                .type("integer", ##","format":"int16","minimum":-32768,"maximum":32767"##), "42")
        case .int32:
            self.init(
                .type(
                    "integer",
                    ##","format":"int32","minimum":-2147483648,"maximum":2147483647"##), "42")
        case .float: self.init(.shared("#/components/schemas/HoldfastFloat"), "1.5")
        case .double: self.init(.shared("#/components/schemas/HoldfastDouble"), "1.5")
        case .decimal128:
            self.init(.type("string", ##","format":"decimal128""##), ##""1.10""##)
        case .string: self.init(.type("string", ""), ##""text""##)
        case .data:
            self.init(.type("string", ##","contentEncoding":"base64""##), ##""SG9sZGZhc3Q=""##)
        case .date:
            self.init(.type("string", ##","format":"date-time""##), ##""2026-11-20T06:38:58Z""##)
        case .objectID:
            self.init(
                .type("string", ##","pattern":"^[0-9a-fA-F]{24}$""##),
                ##""65a0b1c2d3e4f50617280001""##)
        case .uuid:
            self.init(
                .type("string", ##","format":"uuid""##),
                ##""123e4567-e89b-12d3-a456-426614174000""##)
        case .mixed: self.init(.any, ##"["text",42,{"$date":"2026-11-20T06:38:58Z"}]"##)
        }
    }

    private init(_ form: Form, _ example: StaticString) {
        self.form = form
        self.example = example
    }

    /// Writes the members of the schema into an object that is open.
    func write(isOptional: Bool, to object: inout JSONObjectWriter, _ writer: JSONWriter) {
        switch form {
        case .type(let name, let more):
            if isOptional {
                object.member("type").array { types in
                    types.element().text(name)
                    types.element().string("null")
                }
            } else {
                object.member("type").text(name)
            }
            writer.raw(more)
        case .shared(let reference):
            object.reference(reference, isOptional: isOptional)
        case .any: break
        }
    }
}
