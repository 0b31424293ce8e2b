"""Languages: which language a sentence is in, by its words and by the letters inside them."""

from public_sets import picture, rows

import banbury

SENTENCES = {
    "English": ["The cat is on the table", "Where is the station?", "This is the best of all"],
    "German": ["Die Katze ist auf dem Tisch", "Wo ist der Bahnhof?", "Das ist das Beste von allem"],
    "French": ["Le chat est sur la table", "Où est la gare ?", "C'est le meilleur de tous"],
    "Spanish": ["El gato está en la mesa", "¿Dónde está la estación?", "Es el mejor de todos"],
}
texts = [text for several in SENTENCES.values() for text in several]
labels = [language for language, several in SENTENCES.items() for _ in several]
model = banbury.Classifier(analyzer=banbury.Analyzer(characters=(2, 5))).fit(texts, labels)
print(model.predict(["Where is the cat?", "Wo ist die Katze?", "Où est le chat ?", "¿Dónde está el gato?"]))

sentences = rows("lang17")
if sentences:
    learned, asked = [row for at, row in enumerate(sentences) if at % 5], sentences[::5]
    model = banbury.Classifier().fit([row["text"] for row in learned], [row["label"] for row in learned])
    print(f"chosen by leave-one-out: {model.report_.chosen}")
    report = model.evaluate([row["text"] for row in asked], [row["label"] for row in asked])
    print(f"17 languages: accuracy {report.accuracy:.4f}")
    picture("languages", report.plot_confusion)
