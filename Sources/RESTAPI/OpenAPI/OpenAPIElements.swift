import JSON
import ObjectJSON
import ObjectModel

/// Adds operations on elements that one property's collection, or `mixed` value, has.
struct OpenAPIElements {
    /// What adds operations.
    let paths: OpenAPIPaths
    /// The class of the objects.
    let entry: OpenAPIClass
    /// What ids of operations are made of.
    let noun: String
    /// The property.
    let property: Property
    /// What an element is.
    let element: ElementType

    /// Adds the operation that reads what `description` says.
    func read(
        _ operation: OpenAPIOperation, _ description: String = "The element.",
        to item: inout JSONObjectWriter
    ) {
        paths.add(operation, entry, noun: noun, to: &item) {
            OpenAPIPaths.addHeld(description, to: &$0) { writeValue(.reply, $0) }
            OpenAPIPaths.addNotModified(to: &$0)
        }
    }

    /// Adds an operation that states an element.
    func write(_ operation: OpenAPIOperation, to item: inout JSONObjectWriter) {
        paths.add(operation, entry, noun: noun, to: &item) {
            $0.object { body in
                body.member("required").bool(true)
                let content = body.member("content")
                content.content(example: nil) { writeBody(to: &$0, content) }
            }
        } replies: {
            OpenAPIPaths.addWritten(entry, to: &$0, "Idempotency-Replayed")
        }
    }

    /// Adds the operation that removes.
    func remove(_ operation: OpenAPIOperation, to item: inout JSONObjectWriter) {
        paths.add(operation, entry, noun: noun, to: &item) {
            OpenAPIPaths.addChanged(entry, to: &$0)
        }
    }

    /// Writes the schema of an element as a body of its own. Where it may be a number or a string it says
    /// so in words: generators of TypeScript make code of such a choice that does not compile.
    private func writeBody(to object: inout JSONObjectWriter, _ writer: JSONWriter) {
        switch element {
        case .scalar(.double), .scalar(.float):
            object.member("description").string(
                "A number\(property.isOptional ? ", or null" : ""); NaN and the infinities are strings."
            )
        default: write(.input, to: &object, writer)
        }
    }

    private func writeValue(_ form: OpenAPISchemas.Form, _ writer: JSONWriter) {
        writer.object { write(form, to: &$0, writer) }
    }

    private func write(
        _ form: OpenAPISchemas.Form, to object: inout JSONObjectWriter, _ writer: JSONWriter
    ) {
        paths.schemas.write(element, property.isOptional, form, to: &object, writer)
        paths.schemas.writeCases(of: property, isOptional: property.isOptional, to: &object)
    }
}
