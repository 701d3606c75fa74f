import JSON
import ObjectJSON
import ObjectModel

// The operations on what stands inside `mixed` values.
extension OpenAPIPaths {
    private static let element: StaticString =
        ##"{"name":"element","in":"path","required":true,"description":"A list's position or a map's key.","schema":{"type":"string","minLength":1},"example":"0"}"##
    private static let inner: StaticString =
        ##"{"name":"inner","in":"path","required":true,"description":"A step into the element: a list's position or a map's key. More steps follow as further segments.","schema":{"type":"string","minLength":1},"example":"0"}"##

    private static let held = "What stands there."

    /// Adds what one can do with the elements of a single property that holds a list or a map.
    func writeElements(
        ofMixed property: Property, _ entry: OpenAPIClass, to paths: inout JSONObjectWriter
    ) {
        let noun = entry.noun + OpenAPINames.capitalised(OpenAPINames.identifier(property.name))
        let path =
            entry.path + "/objects/{id}/properties/" + OpenAPINames.segment(property.name)
            + "/elements/{element}"
        let elements = OpenAPIElements(
            paths: self, entry: entry, noun: noun, property: property, element: .scalar(.mixed))
        paths.member(named: path).object { item in
            addParameters(entry, property: nil, Self.element, to: &item)
            elements.read(.getElement, Self.held, to: &item)
            elements.write(.putElement, to: &item)
            elements.remove(.deleteElement, to: &item)
            elements.write(.addToElement, to: &item)
        }
        writeInnerElements(path, elements, to: &paths)
    }

    /// Adds what one can do inside an element, whose path is `path`, when it is a list or a map.
    func writeInnerElements(
        _ path: String, _ elements: OpenAPIElements, to paths: inout JSONObjectWriter
    ) {
        paths.member(named: path + "/{inner}").object { item in
            addParameters(elements.entry, property: nil, Self.element, Self.inner, to: &item)
            elements.read(.getInnerElement, Self.held, to: &item)
            elements.write(.putInnerElement, to: &item)
            elements.remove(.deleteInnerElement, to: &item)
            elements.write(.addInnerElement, to: &item)
        }
    }
}
