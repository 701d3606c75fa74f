"""The subscriptions of the model test: what is followed, by name and form."""
from client import parameter
from model_forms import Form, ObjectForm, PacedForm, StoreForm
from model_groups import GroupForm
from model_properties import PropertyForm
from model_results import AggregateForm, ListForm, SectionForm
from model_telling import KeyPathForm, OldForm


def encoded(parameters):
    return "".join(parameter(key, value) for key, value in parameters.items())


def query(name, class_name, text=None, **parameters):
    return Form(name, f"/v1/classes/{class_name}", encoded(filtered(text, parameters)))


def paced(name, class_name, **parameters):
    return PacedForm(f"{name} at intervals", f"/v1/classes/{class_name}", encoded(parameters))


def filtered(text, parameters):
    return ({"filter": text} if text else {}) | parameters


def projection(name, of, text=None):
    return Form(name, f"/v1/projections/{of}", encoded(filtered(text, {})))


def property(name, class_name, key, property_name, kind, **parameters):
    return PropertyForm(f"property, {name}", f"/v1/classes/{class_name}/objects/{key}/properties/{property_name}",
                        encoded(parameters), kind, parameters.get("path"))


def key_paths(name, class_name, paths, kind="classes", key="_id", **parameters):
    return KeyPathForm(f"key paths {name}", f"/v1/{kind}/{class_name}", encoded(parameters), (key, paths))


def old(name, class_name, **parameters):
    return OldForm(f"old {name}", f"/v1/classes/{class_name}", encoded(parameters))


def live_list(name, class_name, key_paths=None, kind="classes", **parameters):
    return ListForm(f"list {name}", f"/v1/{kind}/{class_name}", encoded(parameters), key_paths)


def sections(name, class_name, **parameters):
    return SectionForm(f"sections {name}", f"/v1/classes/{class_name}", encoded(parameters))


def aggregate(name, class_name, **parameters):
    return AggregateForm(f"aggregate {name}", f"/v1/classes/{class_name}", encoded(parameters))


#: The subscriptions.
FORMS = [
    query("all tasks", "Task"),
    query("all people", "Person"),
    query("equality", "Task", "done == false"),
    query("equality by index", "Task", "rank == 7"),
    query("range", "Task", "rank BETWEEN {5, 14}"),
    query("range and equality", "Task", "rank >= 5 AND done == true"),
    query("set of values", "Task", "rank IN {1, 3, 5, 7, 9}"),
    query("contains", "Task", "note CONTAINS[c] 'A'"),
    query("prefix", "Person", "name BEGINSWITH 'al'"),
    query("or", "Person", "age < 10 OR note == null"),
    query("not", "Task", "NOT (done == true OR rank > 12)"),
    query("through a link", "Task", "owner.age > 40"),
    query("through two links", "Task", "owner.home.city == 'Rome'"),
    query("through a link and back", "Person", "ANY boss.tasks.rank > 15"),
    query("of the next", "Task", "next.rank == 3 OR next.owner.age < 20"),
    query("any part", "Task", "ANY parts.done == true"),
    query("any part's owner", "Task", "ANY parts.owner.age > 60"),
    query("any whole", "Task", "ANY partOf.rank > 10"),
    query("all parts", "Task", "ALL parts.rank > 5 AND parts.@count > 0"),
    query("count of wholes", "Task", "partOf.@count > 1"),
    query("count of tasks", "Person", "tasks.@count == 2"),
    query("any task", "Person", "ANY tasks.rank > 15"),
    query("fans", "Person", "fans.@count > 1"),
    query("links", "Person", "@links.@count > 4"),
    query("labels", "Person", "ANY labels == 'red'"),
    query("scores", "Person", "scores['red'] > 2"),
    query("mixed", "Task", "extra == 3"),
    query("embedded", "Person", "address.city == 'Oslo'"),
    query("embedded link", "Person", "address.host.age > 40"),
    query("any embedded", "Person", "ANY addresses.city == 'Bern'"),
    query("residents", "Place", "residents.@count > 3"),
    query("team", "Task", "ANY team.age > 50"),
    query("fields", "Task", "done == false", fields="_id,title,rank"),
    query("fields of links", "Task", "rank < 10", fields="_id,owner.name,owner.home.city"),
    query("versions", "Person", "age > 30", fields="*,$version"),
    query("inverse fields", "Person", fields="_id,name,tasks"),
    query("second inverse", "Person", fields="_id,admirers"),
    query("expand", "Task", "rank > 9", expand="owner"),
    query("expand two", "Task", expand="owner.home"),
    query("expand inverse", "Person", "age < 40", expand="tasks"),
    query("expand a list", "Task", "done == true", expand="parts"),
    query("expand in embedded", "Person", expand="address.host"),
    query("memos", "Memo", "weight > 4"),
    query("memos of tasks", "Memo", "about.rank > 9"),
    paced("tasks", "Task", interval="250", filter="done == false"),
    paced("people", "Person", interval="40", filter="age > 20", expand="boss", fields="_id,name,boss"),
    projection("card", "Card"),
    projection("card of", "Card", "age > 30"),
    projection("board", "Board", "done == false"),
    ObjectForm("one task", "Task", "t3"),
    ObjectForm("one expanded task", "Task", "t5", parameter("expand", "owner.home")),
    ObjectForm("one person", "Person", 7),
    StoreForm(["Task", "Person", "Place", "Memo", "Log", "Sheet", "Elsewhere"]),
    query("large objects", "Sheet", "rank >= 0"),
    property("list of links", "Task", "t1", "parts", "list"),
    property("list", "Task", "t2", "marks", "list"),
    property("set of links", "Task", "t3", "team", "set"),
    property("list of embedded", "Person", 1, "addresses", "list"),
    property("list of people", "Person", 2, "friends", "list"),
    property("set", "Person", 3, "labels", "set"),
    property("map", "Person", 4, "scores", "map"),
    property("mixed", "Person", 5, "any", "value"),
    property("inside mixed", "Person", 6, "any", "value", path="/1"),
    property("key inside mixed", "Task", "t4", "extra", "value", path="/red"),
    property("string", "Person", 7, "name", "value"),
    property("link", "Task", "t5", "owner", "value"),
    property("long list", "Log", 0, "lines", "list"),
    property("other long list", "Log", 1, "lines", "list"),
    property("list with an interval", "Task", "t1", "parts", "list", interval="200"),
    property("set with an interval", "Person", 3, "labels", "set", interval="100"),
    property("map with an interval", "Person", 4, "scores", "map", interval="300"),
    property("list by a projection", "Person", 2, "friends", "list", projection="Card"),
    property("list by a projection with an interval", "Task", "t1", "parts", "list", projection="Board", interval="150"),
    property("link by a projection", "Task", "t5", "owner", "value", projection="Card"),
    property("expanded list", "Task", "t1", "parts", "list", fields="_id,owner", expand="owner.home"),
    property("expanded list of embedded", "Person", 1, "addresses", "list", expand="host"),
    key_paths("names", "Task", "title,rank", filter="done == false"),
    key_paths("through links", "Task", "owner.age,owner.home.city", filter="rank < 15",
              fields="_id,title,owner.age,owner.home.city"),
    key_paths("of embedded", "Person", "address.city"),
    key_paths("of a link", "Task", "owner.*", expand="owner"),
    key_paths("of a list", "Task", "parts.title", expand="parts"),
    key_paths("of origins", "Person", "tasks.rank", filter="age > 20", expand="tasks"),
    key_paths("of a card", "Card", "first,city", kind="projections", key="id"),
    old("all", "Task", filter="rank > 5"),
    old("of fields", "Task", fields="_id,title,rank,owner"),
    old("expanded", "Task", filter="done == false", expand="owner"),
    old("of origins", "Person", expand="tasks"),
    old("of names", "Person", keyPaths="name,age", fields="_id,name,age"),
    live_list("by rank", "Task", sort="-rank", limit="7"),
    live_list("through a link", "Task", sort="owner.age,-rank", limit="12", filter="rank > 3", expand="owner"),
    live_list("whole", "Person", sort="name", limit="1000", filter="age > 15"),
    live_list("with an interval", "Task", sort="title,rank", limit="20", interval="200", fields="_id,title"),
    live_list("of names", "Person", key_paths="name,home.city", sort="age", limit="15", fields="_id,name,home.city"),
    live_list("of cards", "Card", kind="projections", sort="-age", limit="9"),
    live_list("large", "Sheet", sort="rank", limit="11"),
    sections("by rank", "Task", by="rank", sort="rank,title", limit="5", objects="4"),
    sections("through a link", "Task", by="owner.name", sort="owner.name,-rank", filter="done == false"),
    sections("with an interval", "Person", by="prefix(name,1)", sort="name", interval="100", fields="_id,name"),
    aggregate("of all", "Task", op="count,min(rank),max(rank),sum(rank),avg(rank)", filter="done == false"),
    aggregate("by city", "Person", op="count,max(age)", by="home.city"),
    aggregate("with an interval", "Task", op="count,sum(owner.age)", by="rank", interval="300"),
]
#: Several queries on one stream, of those that one may have.
TOGETHER = [
    form for form in FORMS
    if type(form) in (Form, ObjectForm, KeyPathForm, OldForm, ListForm) and "interval" not in form.parameters]
FORMS += [GroupForm(f"several {number}", TOGETHER[number::3]) for number in range(3)] * 3
FORMS += [GroupForm("several with an interval", [form for form in TOGETHER if not isinstance(form, OldForm)], 200)] * 2
