// The schemas of transactions, whose operations may be about objects of several classes.
extension OpenAPIComponents {
    static let transactionSchemas: [Component] = [
        Component(
            "HoldfastTransaction",
            ##"""
            {"type":"object","description":"Operations that all happen, in their order, or none.",
            "required":["operations"],"additionalProperties":false,"properties":{
            "operations":{"type":"array","items":{"$ref":"#/components/schemas/HoldfastOperation"}},
            "ifVersion":{"$ref":"#/components/schemas/HoldfastVersion"}}}
            """##),
        Component(
            "HoldfastOperation",
            ##"""
            {"type":"object","required":["op","class"],"additionalProperties":false,"properties":{
            "op":{"type":"string","enum":["create","put","merge","patch","delete"]},
            "class":{"type":"string","description":"The class of the object."},
            "id":{"description":"The primary key, or `$id` where the class has none; or `{\"$ref\":…}`."},
            "ifMatch":{"type":"string","description":"The object's ETag without quotes, or `*`."},
            "value":{"description":"The object, as the class's `Input` or `New` schema says; of a `patch` a merge patch or a JSON patch; of a `delete` nothing."},
            "ref":{"type":"string","minLength":1,
            "description":"What other operations call the object: `{\"$ref\":…}` in the place of a link."}}}
            """##),
        Component(
            "HoldfastTransactionResult",
            ##"""
            {"type":"object","description":"What became of each operation, in their order.",
            "required":["version","results"],"properties":{
            "version":{"$ref":"#/components/schemas/HoldfastVersion"},
            "results":{"type":"array","items":{"$ref":"#/components/schemas/HoldfastOperationResult"}}}}
            """##),
        Component(
            "HoldfastOperationResult",
            ##"""
            {"type":"object","required":["class","id"],"properties":{"class":{"type":"string"},
            "id":{"description":"The primary key, or `$id` where the class has none."},
            "etag":{"$ref":"#/components/schemas/HoldfastVersion"},
            "object":{"type":"object","description":"The object as the transaction leaves it."}}}
            """##),
    ]
}
