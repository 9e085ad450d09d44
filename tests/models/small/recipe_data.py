"""What the recipes are tried with, in blocks of lines, one block per recipe.

`name < text` is a file that is there before (`name @ 2024-05-17 < text` with a date of change),
`> text` what is printed, `name = text` a file that is there afterwards, `name !` one that is not.
A break within a text is written as ⏎; the text of a workbook is its sheets as CSV, each after a
line with its name, that of a database is SQL, and that of an archive a line for each file.
"""

CASES = """
bakery.csv < date,loaves⏎2024-01-01,5⏎2024-01-02,9⏎2024-01-08,8⏎2024-01-09,10
> Tuesday 9.5

water_use.csv < read_on,litres⏎2024-02-29,1.5⏎2023-12-31,2⏎2024-02-01,2.25
> 2023-12 2.0⏎2024-02 3.75

museum_days.csv < day,visitors⏎2024-03-31,20⏎2024-04-01,12⏎2024-06-30,9⏎2024-07-01,20
> 2024Q2 21

handouts.csv < handed_out,parcel⏎2024-12-30,a⏎2025-01-01,b⏎2024-12-29,c⏎,d
> 2024-W52 1⏎2025-W01 2

pool_entries.csv < entered⏎2024-05-01 17:20⏎2024-05-02 17:59⏎2024-05-02 18:00
> 17:00, 2 swimmers

rowers.csv < rower,contract_end⏎Ann,31.03.2024⏎Bo,04.12.2024⏎Cy,05.01.2024⏎Di,01.04.2024
> 2⏎Cy, Ann

beehives.csv < hive,checked⏎01,31.12.2024⏎02, 2024-03-05⏎03,5/4/2024⏎04, 07.03.2024⏎05,soon
> 1 dates could not be read
beehives_clean.csv = hive,checked⏎01,2024-12-31⏎02,2024-03-05⏎03,2024-04-05⏎04,2024-03-07⏎05,

loans.csv < book,borrowed,returned⏎a,2024-02-28,2024-03-01⏎b,2024-01-01,2024-01-10⏎c,2024-01-01,
> 5.5

rehearsals.csv < voice,length⏎alto,1:45⏎bass,0:50⏎alto,1:20⏎bass,10:15
> alto: 3:05⏎bass: 11:05

watch.csv < watchman,came,went⏎Al,22:00,06:30⏎Bea,08:00,12:15⏎Al,18:00,20:00
> Al 10.5⏎Bea 4.25

boat_bookings.csv < booking,boat,start,end⏎A,Gull,2024-05-01 09:00,2024-05-01 11:00⏎B,Gull,2024-05-01 11:00,2024-05-01 12:00⏎C,Gull,2024-05-01 10:30,2024-05-01 11:30⏎D,Tern,2024-05-01 09:00,2024-05-01 12:00
> A and C⏎B and C

moorings.csv < ship,arrival,departure⏎a,2024-05-01 08:00,2024-05-01 10:00⏎b,2024-05-01 10:00,2024-05-01 12:00⏎c,2024-05-01 09:00,2024-05-01 11:00⏎d,2024-05-02 09:00,
> 2

kiln_runs.csv < kiln,start,end⏎2,2024-05-01 08:30,2024-05-01 08:45⏎1,2024-05-01 08:00,2024-05-01 09:00⏎2,2024-05-01 08:50,2024-05-01 09:10⏎1,2024-05-01 10:00,2024-05-01 10:05
> 75.0

chess_kids.csv < kid,born⏎Ida,2015-06-01⏎Jan,2015-06-02⏎Kim,2014-12-31⏎Lou,2012-02-29
> Ida 10⏎Jan 9⏎Kim 10⏎Lou 13

bell_fund.csv < given_on,euros⏎2024-03-01,999.9⏎2024-02-01,0.1⏎2024-04-01,50
> 2024-03-01 1000.0

river_level.csv < day,level_cm⏎2024-01-03,120⏎2024-01-01,100⏎2024-01-02,101.5
> 2024-01-03 18.5

club_years.csv < year,members⏎2023,110⏎2022,100⏎2024,99
> 2023: +10.0 %⏎2024: -10.0 %

rain_gauge.csv < date,mm⏎2024-01-01,1⏎2024-01-02,0⏎2024-01-03,2⏎2024-01-04,0.2⏎2024-01-05,0⏎2024-01-06,3
> 2 days since 2024-01-03

cello.csv < played_on⏎2024-01-31⏎2024-02-01⏎2024-01-30⏎2024-01-30⏎2024-02-04⏎2024-02-05
> 3

apples.csv < price_per_kg,kilos⏎2,10⏎4,30⏎9,⏎,50
> 3.5

waiting_room.csv < waited_minutes⏎10⏎20⏎unknown⏎30⏎40⏎50
> median: 30.0⏎90th percentile: 46.0

bottles.csv < machine,millilitres⏎A,500⏎A,502⏎B,500⏎B,510
> B 7.071

icecream.csv < temperature,cones⏎10,20⏎20,40⏎30,60⏎25,
> 1.0

eggs.csv < egg,grams⏎1,60⏎2,61⏎3,59⏎4,60⏎5,60⏎6,61⏎7,59⏎8,90
> 1⏎8 90

rides.csv < ride,fare⏎1,10⏎2,11⏎3,12⏎4,13⏎5,14⏎6,80⏎7,
> 1⏎6 80.0

fun_run.csv < runner,age⏎a,17⏎b,18⏎c,39⏎d,40⏎e,81
> under 18: 1⏎18 to 39: 2⏎40+: 2

feed_costs.csv < house,cost⏎apes,10⏎birds,20⏎apes,30
> apes: 66.7 %⏎birds: 33.3 %

tram_delays.csv < tram,delay_minutes⏎1,3⏎2,4⏎3,0⏎4,⏎5,12
> 50.0 % (2 of 4)

sightings.csv < watcher,bird⏎Al,owl⏎Al,owl⏎Al,jay⏎Bea,owl
> Al 2⏎Bea 1⏎all together: 2

hikes.csv < hike,km⏎lake,9.5⏎peak,21⏎loop,?⏎gorge,12⏎ridge,100
> ridge 100.0⏎peak 21.0⏎gorge 12.0

pumpkins.csv < gardener,kilos⏎Di,80.1⏎Al,80.1⏎Cy,79.99
> Al, Di 80.1

quiz.csv < team,points⏎Otters,5⏎Bats,9⏎Otters,3⏎Hares,8⏎Newts,1
> 2 of 4

invited.txt < Ann Lee⏎Bo Day⏎ Cy Fox⏎
answered.txt < ann lee ⏎Di Orr
> Bo Day⏎Cy Fox

menu_spring.csv < dish,price⏎soup,4.5⏎pie,9⏎stew,11
menu_autumn.csv < dish,price⏎pie,9.5⏎stew,11⏎cake,3
> new: cake⏎gone: soup⏎pie: 9.0 -> 9.5

trips.csv < van,km⏎007,10.5⏎012,4⏎007,1
vans.csv < van,depot⏎007,North⏎012,South⏎7,West
> North 11.5⏎South 4.0

sailors.csv < sailor_id,name⏎1,Ann⏎2,Bo⏎3,Cy
lessons.csv < sailor_id,day⏎2,2024-05-01⏎2,2024-05-02
> Ann, Cy

hostel.csv < room,arrival,nights⏎blue,2024-05-30,2⏎blue,2024-05-01,1⏎red,2024-06-02,4
> month  2024-05  2024-06⏎room                   ⏎blue         3        0⏎red          0        4

scouts.csv < scout,3 May,10 May,17 May⏎Al,x,,X ⏎Bea,,,⏎Cy,x,-,
> Al 2⏎Bea 0⏎Cy 1

stalls.csv < stall,May,June⏎fish,100,120⏎bread,130,
> bread May 130.0

campers.csv < child,allergies⏎a,"nuts, Milk"⏎b,⏎c,milk⏎d,"eggs,milk,"
> milk 3

meals.json < [{"ingredients": ["egg", "salt", "salt"]}, {"ingredients": ["egg"]}, {"name": "tea"}]
> egg 2

bouquets.json < {"orders": [{"customer": "Bo", "items": [{"price": 2.5, "count": 2}, {"price": 1, "count": 1}]}, {"customer": "Al", "items": []}, {"customer": "Bo", "items": [{"price": 0.1, "count": 3}]}]}
> Bo 6.3

huts.json < {"huts": {"Lark": {"position": {"altitude": 1890}}, "Fox": {"position": {"altitude": "2101"}}, "Elk": {}}}
> Fox 2101.0

charges.jsonl < {"station": "S2", "kwh": 10}⏎⏎{"station": "S1", "kwh": "2.5"}⏎{"station": "S2"}
> S1 2.5⏎S2 10.0

festival.xlsx < # Bands⏎band_id,band⏎1,Larks⏎2,Moles⏎# Gigs⏎band_id,minutes⏎2,30⏎1,45⏎2,25
> Larks 45⏎Moles 55

cinema.xlsx < # May⏎film,tickets⏎a,10⏎b,5⏎# June⏎film,tickets⏎a,16
> June 16

workshop.xlsx < # Notes⏎keep me⏎# Stock⏎item,pieces,price⏎nut,10,0.05⏎bolt,3,1.2⏎saw,,9
> 3 values added
workshop.xlsx = # Notes⏎keep me⏎# Stock⏎item,pieces,price,value⏎nut,10,0.05,0.5⏎bolt,3,1.2,3.6⏎saw,,9,0

branches/b.csv < id,sum⏎007,5
branches/a.csv < id,sum⏎001,2⏎002,3
> 2 files, 3 rows
all_branches.csv = id,sum,source⏎001,2,a.csv⏎002,3,a.csv⏎007,5,b.csv

invoices_de.csv < no;amount⏎1;1.234,50 €⏎2;-34,00 €⏎3;
> 1200.5

flats.csv < flat,rent⏎1,"$1,250.00"⏎2,$750⏎3,n/a⏎4,on request
> 1000.0

pantry.csv < food,weight⏎rice,1.2 kg⏎salt,800 g⏎oats,"0,5kg"⏎tea,
> 2.5

food_bank.csv < donor,crates⏎Ann Lee,2⏎ ann  LEE ,3⏎Bo Day,1
> 2⏎Ann Lee 5⏎Bo Day 1

vet_patients.csv < chip,pet,updated⏎007,Rex,2024-01-05⏎003,Tom,2024-01-01⏎007,Rex II,2024-03-01⏎007,Rex,2023-12-31
> 2 older entries removed, 2 kept
vet_latest.csv = chip,pet,updated⏎003,Tom,2024-01-01⏎007,Rex II,2024-03-01

theatre_seats.csv < seat,guest⏎A1,Al⏎A2,Bo⏎A1 ,Cy
> A1 2

weather_station.csv < day,wind,rain⏎1,3,⏎2, ,4⏎3,1,2⏎4,,
> wind 2⏎rain 2⏎rows with a gap: 3

gym.csv < sport,heart_rate⏎row,100⏎row,⏎row,120⏎run,150⏎run,
> 2 values filled
gym_filled.csv = sport,heart_rate⏎row,100.0⏎row,110.0⏎row,120.0⏎run,150.0⏎run,150.0

newsletter.csv < name,email⏎Al,al@mail.example⏎Bo,bo.mail.example⏎Cy,⏎Di,d.i+x@a.b-c.example ⏎Ed,ed@mail
> Bo bo.mail.example⏎Cy (empty)⏎Ed ed@mail

ironmonger.csv < item,price,count,total⏎nail,0.1,3,0.3⏎saw,19.99,2,39.99⏎axe,20,2,41⏎peg,0.333,10,3.33
> axe: 41.0 instead of 40.0⏎1 wrong

tale.txt < The mouse saw the moon. Moon, said the mouse; the Mouse's cheese!⏎Good cheese, über-good.
> mouse 3⏎moon 2⏎cheese 2⏎good 2⏎said 1

captain.txt < Calm sea.⏎A Storm came.⏎Night.⏎After the storms⏎
> 2: A Storm came.⏎4: After the storms

allotment.md < # Beds⏎Text - with a dash⏎- dig⏎- sow⏎## Shed⏎⏎* paint⏎  - door⏎# Empty
> Beds: 2⏎Shed: 2⏎Empty: 0

ferries.md < # Ferries⏎⏎| name | cars |⏎|:---|---:|⏎| Gull | 40 |⏎| Tern | 12 |⏎⏎The end.
> 52

lost_and_found.txt < item: umbrella⏎place: tram 4⏎⏎⏎Item: hat⏎Place: tram 4⏎found: 12:30⏎⏎item: key
> tram 4 2⏎unknown 1

turbine.log < 2024-05-01 10:59:00 ERROR a⏎2024-05-01 11:00:00 INFO no ERRORS⏎2024-05-01 11:01:00 ERROR b⏎2024-05-01 11:59:00 ERROR c
> 2024-05-01 10:00 1⏎2024-05-01 11:00 2

pumps.log < 08:00 pump=P2 status=failed⏎08:01 pump=P1 status=failed⏎08:02 idle⏎08:03 pump=P2 status=ok⏎08:04 pump=P3 status=ok
> P1 still broken⏎P2 recovered

ticketshop.log < 10:00 GET /a 200 took 90 ms⏎10:01 POST /buy 200 took 1200 ms⏎10:02 started⏎10:03 GET /b 500 took 350 ms⏎10:04 GET /c 200 took 100 ms
> POST /buy 1200 ms⏎GET /b 350 ms⏎GET /c 100 ms

allotment_web.log < 10.0.0.1 - - [01/May/2024:10:00:00 +0000] "GET / HTTP/1.1" 200 512⏎10.0.0.2 - - [01/May/2024:10:00:01 +0000] "GET /x HTTP/1.1" 404 9⏎10.0.0.2 - - [01/May/2024:10:00:02 +0000] "GET / HTTP/1.1" 200 512 "-" "Bot 500 x"
> 10.0.0.2 2 requests, 1 errors⏎10.0.0.1 1 requests, 0 errors

heating.ini < ; of the house⏎[day]⏎temperature = 21⏎⏎[night]⏎mode = eco⏎temperature = 18 ; was 17⏎temperature_max = 20
> temperature = 16 ; was 17
heating.ini = ; of the house⏎[day]⏎temperature = 21⏎⏎[night]⏎mode = eco⏎temperature = 16 ; was 17⏎temperature_max = 20

kiosk.env < # kiosk⏎HOST=here⏎PORT=80⏎EXPORT=no
> PORT=8090 changed
kiosk.env = # kiosk⏎HOST=here⏎PORT=8090⏎EXPORT=no

aquarium.json < {"name": "Süd", "light": {"on": "09:00", "off": "20:00"}, "fish": [1, 2]}
> {'on': '07:30', 'off': '20:00'}
aquarium.json = {⏎  "name": "Süd",⏎  "light": {⏎    "on": "07:30",⏎    "off": "20:00"⏎  },⏎  "fish": [⏎    1,⏎    2⏎  ]⏎}

brewtool.toml < version = "0"  # of the file⏎[package]⏎name = "brew"⏎version = "1.4.2"  # ours⏎⏎[other]⏎version = "1.4.2"
> 1.5.0
brewtool.toml = version = "0"  # of the file⏎[package]⏎name = "brew"⏎version = "1.5.0"  # ours⏎⏎[other]⏎version = "1.4.2"

observatory.yaml < services:⏎  dome:⏎    port: 8001⏎  clock:⏎    tags: [a, b]
> dome 8001⏎clock no port

bookshelf.xml < <shelf><book pages="100"><author>Ann Lee</author></book><box><book pages="50"><author>Bo Day </author></book></box><book><author>Bo Day</author></book></shelf>
> Ann Lee 100⏎Bo Day 50

lighthouse.db < CREATE TABLE lamps (id, watts);⏎CREATE TABLE "day book" (day, note);⏎INSERT INTO lamps VALUES (1, 40), (2, 60);
> day book (day, note): 0 rows⏎lamps (id, watts): 2 rows

dairy.sqlite < CREATE TABLE farmers (id, name);⏎CREATE TABLE deliveries (farmer_id, litres);⏎INSERT INTO farmers VALUES (1, 'Ann'), (2, 'Bo'), (3, 'Cy');⏎INSERT INTO deliveries VALUES (2, 10), (2, 5), (3, 20);
> Cy 20⏎Bo 15⏎Ann 0

regatta/IMG 9.JPG < nine
regatta/a.jpeg < a
regatta/notes.txt < notes
> IMG 9.JPG -> regatta_001.jpg⏎a.jpeg -> regatta_002.jpg
regatta/regatta_001.jpg = nine
regatta/regatta_002.jpg = a
regatta/notes.txt = notes
regatta/a.jpeg !

letters/scan_31-12-2024.pdf < old year
letters/to_aunt_01-02-2023.pdf < aunt
letters/readme.txt < stays
> scan_31-12-2024.pdf -> 2024-12-31_scan.pdf⏎to_aunt_01-02-2023.pdf -> 2023-02-01_to_aunt.pdf
letters/2024-12-31_scan.pdf = old year
letters/2023-02-01_to_aunt.pdf = aunt
letters/readme.txt = stays

inbox/a.PDF < a
inbox/b.png < b
inbox/LICENCE < c
inbox/pdf/old.pdf < old
> LICENCE -> other⏎a.PDF -> pdf⏎b.png -> png
inbox/pdf/a.PDF = a
inbox/pdf/old.pdf = old
inbox/png/b.png = b
inbox/other/LICENCE = c
inbox/b.png !

darkroom/a.png @ 2024-05-17 < a
darkroom/b.png @ 2023-12-31 < b
> a.png -> 2024-05⏎b.png -> 2023-12
darkroom/2024-05/a.png = a
darkroom/2023-12/b.png = b

attic/a.txt < same
attic/b.txt < other
attic/deep/c.md < same
> attic/a.txt = attic/deep/c.md

recordings/a.wav < 12345678
recordings/b.wav < 1
recordings/deep/c.wav < 1234
recordings/d.wav < 123
> recordings/a.wav 9 bytes⏎recordings/deep/c.wav 5 bytes⏎recordings/d.wav 4 bytes⏎all: 20 bytes

seeds.csv < code,seed⏎01,pea⏎02,bean⏎03,leek
> seeds_1.csv: 2 rows⏎seeds_2.csv: 1 rows
seeds_1.csv = code,seed⏎01,pea⏎02,bean
seeds_2.csv = code,seed⏎03,leek

vineyards.csv < valley,code⏎Upper,01⏎Lower,02⏎Upper,03
> Lower.csv: 1 rows⏎Upper.csv: 2 rows
valleys/Upper.csv = valley,code⏎Upper,01⏎Upper,03
valleys/Lower.csv = valley,code⏎Lower,02

verses/b.txt < Moon⏎
verses/a.txt < Sun⏎Star
> 2 texts in songbook.txt
songbook.txt = a⏎⏎Sun⏎Star⏎⏎b⏎⏎Moon

expedition/map.txt < here
expedition/day/one.txt < cold
expedition/day/x.tmp < junk
> 2 files packed
expedition.zip = expedition/day/one.txt: cold⏎expedition/map.txt: here

slides.zip < one.txt: first⏎deep/two.txt: second
> one.txt 6 bytes⏎deep/two.txt 7 bytes
slides/deep/two.txt = second

legends/a.txt < Dorn and Dornfeld.⏎Dorn's sword
legends/deep/b.txt < dorn
> a.txt 2
legends/a.txt = Thorn and Dornfeld.⏎Thorn's sword
legends/deep/b.txt = dorn

postcards.csv < zip,town⏎01067,Süd
> 1 objects written to postcards.json
postcards.json = [⏎  {⏎    "zip": "01067",⏎    "town": "Süd"⏎  }⏎]

lifts.json < [{"lift": "A", "size": {"seats": 4}}, {"lift": "B", "size": {"seats": 6}}]
> 2 rows: lift, size_seats
lifts.csv = lift,size_seats⏎A,4⏎B,6

floats.csv < float,height⏎swan,3⏎ship,4
bands.csv < band,people⏎Larks,12
> floats.csv 2 rows⏎bands.csv 1 rows
carnival.xlsx = # floats⏎float,height⏎swan,3⏎ship,4⏎# bands⏎band,people⏎Larks,12

tree_register.csv < no,tree⏎01,oak⏎02,
> | no | tree |⏎| --- | --- |⏎| 01 | oak |⏎| 02 |  |

guest_house.csv < guest,nights⏎Di,4⏎Al,3⏎Bo,9⏎Cy,4
> 3 of 4 rows written
long_stays.csv = guest,nights⏎Bo,9⏎Cy,4⏎Di,4

paint_shop.csv < colour,tins⏎red,3⏎blue,2⏎red,1
> There is no colour 'teal'. There are: blue, red

wells.csv < well,water⏎a,3
> There is no column 'depth'. The columns are: well, water

rope.txt < one
ropes.csv < two
> There is no file ropewalk.txt. There are: rope.txt, ropes.csv
ropewalk.txt !

saplings.csv < week,height_cm⏎0,5⏎1,7⏎2,9⏎3,
> slope: 2.0⏎after 10 weeks: 25.0

cider.csv < cider,sweetness,acid⏎a,10,1⏎b,20,2⏎c,15,3
> acid: mean 2.0 standard deviation 1.0
cider_scaled.csv = cider,sweetness,acid⏎a,0.0,-1.0⏎b,1.0,0.0⏎c,0.5,1.0

opera.csv < ticket,came_back⏎box,yes⏎box,yes⏎box,yes⏎box,no⏎pit,no⏎pit,no⏎pit,no⏎pit,yes⏎pit,no⏎pit,no
> chi2: 1.4062 p: 0.2357⏎no significant dependence

cows.csv < pasture,milk⏎hill,10⏎hill,12⏎hill,11⏎hill,⏎valley,5⏎valley,6⏎valley,4
> Yes (t = 7.348, p = 0.0009)

mushrooms.csv < cap,size,edible⏎red,9,no⏎red,8,no⏎red,9,no⏎red,8,no⏎red,9,no⏎brown,1,yes⏎brown,2,yes⏎brown,1,yes⏎brown,2,yes⏎brown,1,yes⏎brown,,yes
> accuracy: 1.0

violins.csv < age,grade,price⏎10,1,120⏎20,2,240⏎30,1,320⏎40,3,460⏎50,2,540⏎60,1,620⏎70,3,760⏎80,2,840⏎90,,1
> RMSE: 0.0

passengers.csv < bus,riders⏎night,10⏎night,15⏎day,12⏎day,13.5
> No: night 12.5, day 12.75

lakes.csv < lake,depth⏎Blue,10⏎Dark,31.5⏎Small,
> {"rows": 3, "mean_depth": 20.75, "deepest_lake": "Dark"}
"""
