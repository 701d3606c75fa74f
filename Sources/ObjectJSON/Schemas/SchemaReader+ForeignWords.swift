import HoldfastText

// The words of other products in schemas. Each word of ours takes the value that stands beside the foreign word.
extension SchemaReader {
    static let foreignClassMembers = ForeignWords(
        ["properties": "fields columns attributes", "primaryKey": "key pk idfield"],
        advice: [
            "An embedded class has \"kind\": \"embedded\".": "embedded isembedded",
            "A required property says so itself, with \"required\": true.": "required",
            "An indexed property says so itself, with \"indexed\": true.":
                "index indexes indices indexed",
        ])

    static let foreignPropertyMembers = ForeignWords(
        [
            "optional": "nullable isnullable null allownull isoptional", "indexed": "index",
            "default": "defaultvalue", "element": "items elements elementtype itemtype of",
            "class": "target targetclass linkedclass classname collection model",
            "enum": "values choices options allowedvalues", "unique": "isunique",
        ],
        advice: [
            "The primary key is a member of the class, \"primaryKey\", with the property's name.":
                "primarykey primary pk key iskey isprimarykey",
            "The type of a link is the name of its class, such as \"type\": \"City?\".":
                "ref references relation",
            "An integer primary key counts up with \"default\": \"$next\".":
                "autoincrement identity serial generated sequence",
            "The words of a text are indexed with \"indexed\": \"fulltext\".":
                "fulltext searchable search",
        ])

    /// The generated defaults under their names in other products.
    static let foreignGenerators = ForeignWords([
        "$now": "now currenttimestamp currentdate getdate sysdate datenow timestamp",
        "$uuid": "uuid uuidv4 genrandomuuid uuidgeneratev4 newid randomuuid",
        "$objectId": "objectid newobjectid",
        "$next": "autoincrement identity serial next",
        "$user": "userid currentuser currentuserid requestauthid authuid",
    ])
}
