import JSON
import ObjectJSON
import ObjectModel

// The operations on single elements of collections.
extension OpenAPIPaths {
    private static let position: StaticString =
        ##"{"name":"element","in":"path","required":true,"description":"The position of the element, from 0 up.","schema":{"type":"integer","minimum":0},"example":0}"##
    private static let key: StaticString =
        ##"{"name":"element","in":"path","required":true,"description":"The key of the entry.","schema":{"type":"string","minLength":1},"example":"key"}"##

    /// Adds what one can do with the elements of a collection; nothing for an inverse link.
    func writeElements(
        _ property: Property, _ entry: OpenAPIClass, _ noun: String,
        to paths: inout JSONObjectWriter
    ) {
        let path =
            entry.path + "/objects/{id}/properties/" + OpenAPINames.segment(property.name)
            + "/elements"
        let element: ElementType
        var isMap = false
        var isSet = false
        switch property.type {
        case .single, .linkingObjects: return
        case .list(let inner): element = inner
        case .set(let inner):
            element = inner
            isSet = true
        case .map(let inner):
            element = inner
            isMap = true
        }
        let elements = OpenAPIElements(
            paths: self, entry: entry, noun: noun, property: property, element: element)
        paths.member(named: path).object { item in
            addParameters(entry, property: nil, to: &item)
            if isMap {
                elements.read(.getElementByKey, to: &item)
                elements.write(.putElementByKey, to: &item)
            } else {
                elements.write(.addElement, to: &item)
            }
            elements.remove(.deleteElementByKey, to: &item)
        }
        paths.member(named: path + "/{element}").object { item in
            addParameters(entry, property: nil, isMap ? Self.key : Self.position, to: &item)
            elements.read(.getElement, to: &item)
            if isSet { return }
            elements.write(.putElement, to: &item)
            elements.remove(.deleteElement, to: &item)
            if element == .scalar(.mixed) {
                elements.write(.addToElement, to: &item)
            }
        }
        if element == .scalar(.mixed), !isSet {
            writeInnerElements(path + "/{element}", elements, to: &paths)
        }
    }
}
